// Bodies of the routes that show logs. Their fields may be absent, but not null.
import * as Type from "typebox";
import { flag, strictObject, text } from "./fields.ts";

export const LogStreamBody = strictObject({
  target: Type.Optional(text),
  mode: Type.Optional(Type.Enum(["human", "json", "profile"])),
  profileMemory: Type.Optional(flag),
});

export const StderrBody = strictObject({ target: Type.Optional(text) });
