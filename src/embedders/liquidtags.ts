// Tags that the template engine lacks, or treats less strictly than the peer does. Used by liquid.ts.
import {
  AssignTag,
  CaseTag,
  type Context,
  defaultOperators,
  type Emitter,
  evalToken,
  type Liquid,
  type Parser,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
  toValue,
} from "liquidjs";
import { Missing } from "./scope.ts";

/** `assign`, failing for a missing variable even if the new one is never used. */
export class StrictAssignTag extends AssignTag {
  override *render(context: Context): Generator<unknown, void, unknown> {
    yield* super.render(context);
    for (const { content } of this.localScope()) {
      const assigned: unknown = (context.bottom() as Record<string, unknown>)[content];
      if (assigned instanceof Missing) assigned.valueOf();
    }
  }
}

/** `case`, where only the first branch that fits is rendered, and the values after it are not looked at. */
export class FirstCaseTag extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { renderer } = this.liquid;
    const target: unknown = toValue(yield this.value.value(context, false));
    for (const { values, templates } of this.branches) {
      for (const token of values) {
        if (!(yield equals(target, yield evalToken(token, context), context))) continue;
        yield renderer.renderTemplates(templates, context, emitter);
        return;
      }
    }
    yield renderer.renderTemplates(this.elseTemplates, context, emitter);
  }
}

const equals = defaultOperators["=="];

/** `ifchanged`: its content, unless that equals what the last such tag produced. */
export class ChangedTag extends Tag {
  readonly #templates: Template[] = [];

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(token, rest, liquid);
    const stream = parser.parseStream(rest);
    stream
      .on("template", (template: Template) => this.#templates.push(template))
      .on("tag:endifchanged", () => stream.stop())
      .on("end", () => {
        throw new Error("tag `ifchanged` is not closed");
      })
      .start();
  }

  override *render(context: Context, emitter: Emitter): Generator<unknown, void, string> {
    const text = yield this.liquid.renderer.renderTemplates(this.#templates, context);
    if (context.getRegister(LAST) === text) return;
    context.setRegister(LAST, text);
    emitter.write(text);
  }
}

const LAST = "ifchanged";
