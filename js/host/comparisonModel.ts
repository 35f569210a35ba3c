// The model of a page with more than two models and without a kernel: one model for each pair that the page holds, kept
// while the page is open, behind the matrix.

import type { Answer, ComparisonPage, Request, WidgetState } from "../protocol/types";
import { createMemoryModel } from "./memoryModel";
import type { Model } from "./model";
import { createPageModel, type PageData } from "./pageModel";

/** The traits of the matrix; all others are of the pair that is open. */
const OWN = ["comparison", "pair", "matrix_order", "theme", "height"];

export function createComparisonModel({ pairs, ...data }: ComparisonPage): Model {
  const models = new Map<string, Model>();
  const listening: Parameters<Model["on"]>[] = [];
  const matrix = createMemoryModel(data as unknown as WidgetState, (request) =>
    matrix.tell({ id: request.id, ...answerTo(request) }),
  );
  /** The model of a pair; a page may hold it the other way round only. */
  const opened = (key: string): Model | undefined => {
    const held = pairs[key];
    if (held && !models.has(key)) {
      const model = createPageModel({ ...data, ...held } as unknown as PageData);
      for (const [event, callback] of listening) model.on(event, callback);
      models.set(key, model);
    }
    return models.get(key);
  };
  const current = () => opened(matrix.get("pair").join()) ?? matrix;
  const answerTo = (request: Request): Partial<Answer> => {
    if (request.kind !== "pair") return {};
    const pair = [request.pair, [...request.pair].reverse()].find((one) => opened(one.join()));
    if (!pair) return { error: data.comparison.why_not };
    matrix.set("pair", pair);
    return {};
  };
  const ownerOf = (key: string) => (OWN.includes(key) ? matrix : current());
  return {
    get: (key) => ownerOf(key).get(key),
    set: (key, value) => ownerOf(key).set(key, value),
    on(event, callback) {
      listening.push([event, callback]);
      for (const model of [matrix, ...models.values()]) model.on(event, callback);
    },
    off(event, callback) {
      const at = listening.findIndex(([name, call]) => name === event && call === callback);
      if (at >= 0) listening.splice(at, 1);
      for (const model of [matrix, ...models.values()]) model.off(event, callback);
    },
    save_changes() {},
    send: (request) => (request.kind === "pair" ? matrix : current()).send(request),
  };
}
