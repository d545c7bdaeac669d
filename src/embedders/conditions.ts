// Where templates may ask whether a variable is there: `if`, `unless`, `and`, `or`, `not`. Used by liquid.ts.
import {
  type Context,
  type Emitter,
  IfTag,
  isFalsy,
  isTruthy,
  toValue,
  UnlessTag,
  type Value,
} from "liquidjs";
import { Missing } from "./scope.ts";

export function isThere(value: unknown, context: Context): boolean {
  return !(value instanceof Missing) && isTruthy(toValue(value), context);
}

/** `if`, where a missing variable counts as false. */
export class QuestionTag extends IfTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, string> {
    const { renderer } = this.liquid;
    for (const { value, templates } of this.branches) {
      if (isTruthy(yield* answer(value, context), context)) {
        yield renderer.renderTemplates(templates, context, emitter);
        return;
      }
    }
    yield renderer.renderTemplates(this.elseTemplates ?? [], context, emitter);
  }
}

/** `unless`, likewise. */
export class OppositeTag extends UnlessTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { renderer } = this.liquid;
    for (const { value, test, templates } of this.branches) {
      const found = yield* answer(value, context);
      if (test === isFalsy ? isFalsy(found, context) : isTruthy(found, context)) {
        yield renderer.renderTemplates(templates, context, emitter);
        return;
      }
    }
    yield renderer.renderTemplates(this.elseTemplates, context, emitter);
  }
}

function* answer(value: Value, context: Context): Generator<unknown, unknown, unknown> {
  const found: unknown = yield value.value(context, false);
  return found instanceof Missing ? null : toValue(found);
}
