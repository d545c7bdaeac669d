// The rules attributeRank (documents whose terms stand in fields named earlier in searchableAttributes come
// first) and wordPosition (terms that stand where they do in the query come first). Called by rulelist.ts.
import { PLACES_LEN, positionOfPlace, RANKING_NONE } from "../../core/ranking.ts";
import type { Item } from "./graph.ts";
import { type GraphRule, graphRule } from "./graphrule.ts";
import type { Ranking, Rule } from "./rule.ts";

/** Cost of a term by the distance of its place from that in the query. */
const DISTANCE_COSTS: readonly [most: number, cost: number][] = [
  [0, 0],
  [1, 1],
  [4, 2],
  [7, 3],
  [11, 4],
  [16, 5],
  [24, 6],
  [64, 7],
  [256, 8],
  [1024, 9],
];
const DISTANCE_COST_MAX = 10;
/** Largest cost of a field: sums of ten terms stay below RANKING_NONE. */
const FIELD_COST_MAX = 6500;

export function attributeRankRule(ranking: Ranking): Rule {
  const { occurrences, weightMax } = ranking;
  const { fields } = occurrences.matching.lookups;
  const weight = (item: Item, value: number) => Math.min(item.node.size * value, FIELD_COST_MAX);
  const rule: GraphRule = {
    name: "attributeRank",
    looksEverywhere: true,
    most: (_, item) => weight(item, weightMax),
    step: (_, item, certain) => {
      if (certain && weightMax === 0) return { constant: 0, costs: 0 };
      const values = fields.map((field) =>
        field.allowed && field.weight >= 0 ? weight(item, field.weight) : RANKING_NONE,
      );
      return { constant: 0, costs: occurrences.fieldCosts(item, values) };
    },
  };
  return graphRule(ranking, rule);
}

export function wordPositionRule(ranking: Ranking): Rule {
  const { occurrences } = ranking;
  const rule: GraphRule = {
    name: "wordPosition",
    looksEverywhere: true,
    most: (_, item) => DISTANCE_COST_MAX * item.node.size,
    step: (_, item) => {
      return { constant: 0, costs: occurrences.positionCosts(item, placeCosts(item)) };
    },
  };
  return graphRule(ranking, rule);
}

/** By first position and size of a node: the costs of all places. */
const knownPlaceCosts = new Map<number, readonly number[]>();
/** Positions of a query's terms that are remembered. */
const KNOWN_POSITIONS_MAX = 256;
const SIZES = 4;

function placeCosts(item: Item): readonly number[] {
  const { first, size } = item.node;
  const key = first * SIZES + size;
  let costs = knownPlaceCosts.get(key);
  if (!costs) {
    costs = Array.from({ length: PLACES_LEN }, (_, place) => placeCost(item, positionOfPlace(place)));
    if (first < KNOWN_POSITIONS_MAX && size < SIZES) knownPlaceCosts.set(key, costs);
  }
  return costs;
}

function placeCost({ node: { first, size } }: Item, position: number): number {
  let cost = 0;
  for (let i = 0; i < size; i++) cost += distanceCost(Math.abs(position - first) + i);
  return cost;
}

const distanceCost = (distance: number): number =>
  DISTANCE_COSTS.find(([most]) => distance <= most)?.[1] ?? DISTANCE_COST_MAX;
