// Bodies of the routes that show logs.
import * as Type from "typebox";
import { flag, optional, strictObject, text } from "./fields.ts";

export const LogStreamBody = strictObject({
  target: optional(text),
  mode: optional(Type.Enum(["human", "json", "profile"])),
  profileMemory: optional(flag),
});

export const StderrBody = strictObject({ target: optional(text) });
