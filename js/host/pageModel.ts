// The model of a page without a kernel. It answers requests from what the page holds: refinement steps that were worked
// out beforehand (src/imd_widget/export/html.py), and some rows of the table (pageRows.ts).

import { type SentView, unpack } from "../protocol/codec";
import type {
  Answer,
  ComparisonTraits,
  DiffView,
  ModelPage,
  PageContents,
  PageWhy,
  Request,
  WidgetState,
} from "../protocol/types";
import { messageOf } from "../text/messageOf";
import { createMemoryModel } from "./memoryModel";
import type { Model } from "./model";
import { csvOfPage, pageStep, rowsOfPage, traceOfPage } from "./pageRows";

export type PageData = Omit<WidgetState, "view" | keyof ComparisonTraits> & PageContents;

const ONE_DIFF: Pick<WidgetState, keyof ComparisonTraits> = {
  comparison: null,
  pair: [],
  matrix_order: "similarity",
};

type ExplainRequest = Extract<Request, { kind: "explain" }>;

/** What the page holds about a selection: of rules only at the step that was saved, their numbers change. */
function explained(why: PageWhy, { rules, node, row }: ExplainRequest, saved: boolean) {
  const ofRow = why.answers.find((one) => row !== null && one.row === row)?.why;
  if (row !== null && !ofRow) throw new Error("Reason codes are available in the notebook only.");
  const found = why.answers.find((one) =>
    rules.length > 0 ? one.rules.join() === rules.join() : one.nodes.includes(node),
  );
  if (!found || (!saved && found.rules.length > 0)) throw new Error(why.other);
  if (!found.why) throw new Error(found.error ?? "");
  if (!ofRow) return { why: found.why };
  const { ice, row: reasons, row_contributions, fidelity } = ofRow;
  return { why: { ...found.why, ice, row: reasons, row_contributions, fidelity } };
}

/** A page of one model answers what it holds. */
export function createOneModelPage(held: ModelPage): Model {
  const model = createMemoryModel(held as unknown as WidgetState, (request) => {
    const { id, kind } = request;
    try {
      model.tell({ id, ...(kind === "explain" ? explained(held.why, request, true) : {}) });
    } catch (error) {
      model.tell({ id, error: messageOf(error) });
    }
  });
  return model;
}

export function createPageModel(data: PageData): Model {
  const { steps, rows, why, growth, ...state } = data;
  const views: (DiffView | undefined)[] = [];
  const viewAt = (step: number): DiffView => {
    views[step] ??= unpack(steps[step] as SentView);
    return views[step];
  };
  let current = data.at;

  const model = createMemoryModel({ ...state, ...ONE_DIFF, view: viewAt(current) }, (request) => {
    try {
      model.tell({ id: request.id, ...answerTo(request) });
    } catch (error) {
      model.tell({ id: request.id, error: messageOf(error) });
    }
  });

  /** The numbers that the selected rules have at another step; those that are gone there are left out. */
  const selectedAt = (step: number): number[] => {
    const selected = model.get("selected_rules") ?? [];
    const { kept } = viewAt(Math.max(step, current)).refinement;
    const moved = selected.map((rule) => (step > current ? kept[rule] : kept.indexOf(rule)));
    return [...new Set(moved.filter((rule) => rule !== undefined && rule >= 0))] as number[];
  };

  const show = (step: number) => {
    if (step === current) return;
    const view = viewAt(step);
    // The number of a rule means nothing in another view, the id of a node does.
    model.set("selected_rules", selectedAt(step));
    current = step;
    model.set("traced", null);
    model.set("stability", step === data.at ? (data.stability ?? null) : null);
    const node = model.get("selected_node");
    if (node && !view.nodes.some(({ id }) => id === node)) model.set("selected_node", "");
    model.set("view", view);
  };

  const answerTo = (request: Request): Partial<Answer> => {
    const view = viewAt(current);
    const reason = view.lacks[request.kind] ?? (request.kind === "csv" && view.lacks.rows);
    if (reason) throw new Error(reason);
    if (request.kind === "refine") show(Math.min(steps.length - 1, current + 1));
    else if (request.kind === "undo") show(Math.max(0, current - 1));
    else if (request.kind === "rows" && rows)
      return { rows: rowsOfPage(request, pageStep(rows, view, current)) };
    else if (request.kind === "csv" && rows)
      return { csv: csvOfPage(request, pageStep(rows, view, current)) };
    else if (request.kind === "explain" && why) return explained(why, request, current === data.at);
    else if (request.kind === "growth" && growth) return { steps: growth };
    else if (request.kind === "trace" && rows)
      model.set("traced", traceOfPage(request.row, pageStep(rows, view, current)));
    return {};
  };

  return model;
}
