// The grammars of filter expressions and sort criteria: expressions.ts tries them alone, sessions.ts inside
// of requests.
import type { Grammar } from "../making.ts";

export const FILTERS: Grammar = {
  start: ["<one>", "<one>", "(<start>)", "NOT <start>", "<start> AND <start>", "<start> OR <start>"],
  one: [
    "<name> = <value>",
    ..."= != > >= < <=".split(" ").map((sign) => `<name> ${sign} <value>`),
    "<name> EXISTS",
    "<name> NOT EXISTS",
    "<name> IS NULL",
    "<name> IS NOT EMPTY",
    "<name> IS EMPTY",
    "<name> <value> TO <value>",
    "<name> IN [<list>]",
    "<name> NOT IN [<list>]",
    "<name> STARTS WITH <value>",
    "<name> NOT STARTS WITH <value>",
    "<name> CONTAINS <value>",
    "_geoRadius(<degree>, <degree>, <number>)",
    "_geoRadius(<degree>, <degree>, <number>, 9)",
    "_geoBoundingBox([<degree>, <degree>], [<degree>, <degree>])",
    "_geoPolygon([<degree>, <degree>], [<degree>, <degree>], [<degree>, <degree>])",
    "_vectors EXISTS",
    "_vectors.e EXISTS",
    "_vectors.e.userProvided EXISTS",
    "_vectors.e.<value> EXISTS",
  ],
  name: ["a", "b", "a", "b", "n.m", '"a"', "'n.m'", "hidden", "_geo", "id", "a.b.c"],
  value: ["1", "<number>", "x", '"y É"', "'it\\'s'", "true", "null", '""', "_geo", "IN", "漢字"],
  number: ["0", "-3", "1.5", "1e308", "-1e-400", "99999999999999999999", "+1", ".5"],
  degree: ["0", "45", "-90", "90.0001", "181", "-180", "<number>"],
  list: ["", "<value>", "<value>, <list>", "<value>,"],
};

export const SORTS: Grammar = {
  start: ["<name>:asc", "<name>:desc", "<point>:asc", "<point>:desc", "<name>:<name>"],
  name: ["a", "b", "n.m", "id", "_geo", "a:b", ""],
  point: ["_geoPoint(<degree>, <degree>)", "_geoPoint(<degree>,<degree>,<degree>)", "_geoPoint(<degree>)"],
  degree: FILTERS.degree,
  number: FILTERS.number,
};
