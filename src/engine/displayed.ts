// Which names of fields users may see (displayedAttributes): in the details of scores, and in refusals, which
// list the allowed fields. Called by everything that refuses a field.
import { nameList } from "../schemas/phrases.ts";
import type { Settings } from "../schemas/settings.ts";
import { covers } from "./fieldnames.ts";

/** Stands in a list for the names that are not shown. */
const HIDDEN = "<..hidden-attributes>";

export function isDisplayed({ displayedAttributes }: Settings, name: string): boolean {
  return displayedAttributes.some((entry) => entry === "*" || covers(entry, name));
}

/** Names or patterns of the settings, as a list for people to read. */
export function shownNames(settings: Settings, names: readonly string[]): string {
  const shown = names.filter((name) => isDisplayed(settings, name));
  return nameList(shown.length < names.length ? [...shown, HIDDEN] : shown);
}
