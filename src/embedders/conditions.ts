// The places where templates may ask whether a variable exists: `if`, `unless`, `and`, `or`, `not`. `and`
// binds tighter than `or`; both stop evaluating once the result is certain. Used by liquid.ts
// and liquidoperators.ts.
import {
  type Context,
  type Emitter,
  Expression,
  IfTag,
  isFalsy,
  isTruthy,
  type Token,
  toValue,
  UnlessTag,
  type Value,
} from "liquidjs";
import { AnyDocument, Missing } from "./scope.ts";

export function isThere(value: unknown, context: Context): boolean {
  if (value instanceof AnyDocument) return true;
  return !(value instanceof Missing) && isTruthy(toValue(value), context);
}

/** `if`, where a missing variable counts as false. */
export class QuestionTag extends IfTag {
  readonly #conditions = this.branches.map(({ value }) => conditionOf(value));

  override *render(context: Context, emitter: Emitter): Generator<unknown, void, string> {
    const { renderer } = this.liquid;
    for (const [i, { templates }] of this.branches.entries()) {
      if (yield* holds(this.#conditions[i], context)) {
        yield renderer.renderTemplates(templates, context, emitter);
        return;
      }
    }
    yield renderer.renderTemplates(this.elseTemplates ?? [], context, emitter);
  }
}

/** `unless`, likewise. */
export class OppositeTag extends UnlessTag {
  readonly #conditions = this.branches.map(({ value }) => conditionOf(value));

  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { renderer } = this.liquid;
    for (const [i, { test, templates }] of this.branches.entries()) {
      if ((yield* holds(this.#conditions[i], context)) !== (test === isFalsy)) {
        yield renderer.renderTemplates(templates, context, emitter);
        return;
      }
    }
    yield renderer.renderTemplates(this.elseTemplates, context, emitter);
  }
}

type Atom = (context: Context) => Generator<unknown, unknown, unknown>;
/** An OR of lists; the conditions in a list are joined by AND. */
type Condition = Atom[][];

/** Bounds asWritten, whose cost grows with the square of the tokens. */
const CONDITION_TOKENS_MAX = 1000;

function conditionOf(value: Value): Condition {
  if (value.initial.postfix.length > CONDITION_TOKENS_MAX)
    throw new Error(`a condition has more than ${CONDITION_TOKENS_MAX} parts`);
  if (value.filters.length > 0) return [[(context) => value.value(context, false)]];
  const parts: Token[][][] = [[[]]];
  for (const token of asWritten(value.initial.postfix)) {
    const operator = operatorOf(token);
    if (operator === "or") parts.push([[]]);
    else if (operator === "and") parts.at(-1)!.push([]);
    else parts.at(-1)!.at(-1)!.push(token);
  }
  return parts.map((atoms) => atoms.map((tokens) => atomOf(new Expression(tokens))));
}

const atomOf =
  (expression: Expression): Atom =>
  (context) =>
    expression.evaluate(context);

/** The tokens in the order of the template: the engine has operators after their operands. */
function asWritten(postfix: readonly Token[]): Token[] {
  const operands: Token[][] = [];
  for (const token of postfix) {
    const operator = operatorOf(token);
    const right = operator === null ? [] : operands.pop();
    const left = operator === null || operator === "not" ? [] : operands.pop();
    if (!left || !right) throw new Error(`\`${operator}\` lacks an operand`);
    operands.push([...left, token, ...right]);
  }
  return operands[0];
}

const operatorOf = (token: Token): string | null => ("operator" in token ? String(token.operator) : null);

function* holds(condition: Condition, context: Context): Generator<unknown, boolean, unknown> {
  for (const atoms of condition) {
    let isTrue = true;
    for (const atom of atoms) {
      isTrue = isThere(yield* atom(context), context);
      if (!isTrue) break;
    }
    if (isTrue) return true;
  }
  return false;
}
