import { describe, expect, it } from "vitest";
import { excerpt, pieces } from "../../../js/text/words";

const marked = (text: string, words: string[]) =>
  pieces(text, words)
    .filter((piece) => piece.marked)
    .map((piece) => piece.text);

describe("words in texts", () => {
  it("are marked as a whole and in any case", () => {
    expect(marked("Refund, refunds, prefund, REFUND!", ["refund"])).toEqual(["Refund", "REFUND"]);
    expect(marked("отказ и Возврат", ["возврат"])).toEqual(["Возврат"]);
    expect(marked("दिनों दिन", ["दिन"])).toEqual(["दिन"]);
  });

  it("may be pairs with signs between them", () => {
    expect(marked("not good; not, good; good not", ["not good", "not"])).toEqual([
      "not good",
      "not, good",
      "not",
    ]);
  });

  it("of scripts without spaces are marked within texts", () => {
    expect(marked("我要退款谢谢", ["退款"])).toEqual(["退款"]);
  });

  it("leave the text as it is", () => {
    for (const text of ["", "a <b>refund</b> $& \\1", "refund"])
      expect(
        pieces(text, ["refund"])
          .map((piece) => piece.text)
          .join(""),
      ).toBe(text);
    expect(pieces("refund", [])).toEqual([{ text: "refund", marked: false }]);
  });
});

describe("an excerpt", () => {
  const long = `${"so many words before it ".repeat(20)}a refund at last, please`;

  it("begins shortly before the first word", () => {
    expect(excerpt(long, ["refund"], 60)).toBe("…it a refund at last, please");
    expect(excerpt("a refund", ["refund"], 60)).toBe("a refund");
  });

  it("is cut to its length", () => {
    for (const words of [[], ["so"], ["refund"], ["nowhere"]])
      expect(excerpt(long, words, 30).length).toBeLessThanOrEqual(30);
  });
});
