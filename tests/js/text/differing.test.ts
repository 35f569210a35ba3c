import { describe, expect, it } from "vitest";
import { differing, MOST_WORDS } from "../../../js/text/differing";
import type { Piece } from "../../../js/text/words";

const marked = (pieces: Piece[]) => pieces.filter((one) => one.marked).map((one) => one.text);
const whole = (pieces: Piece[]) => pieces.map((one) => one.text).join("");

describe("differing", () => {
  it("marks the words of either text that the other lacks", () => {
    const [one, two] = differing(
      "You will get a refund within five days.",
      "You will get no refund, within five working days.",
    ) ?? [[], []];
    expect(marked(one)).toEqual(["a"]);
    expect(marked(two)).toEqual(["no", "working"]);
  });

  it("joins neighbours that differ", () => {
    const [one] = differing("yes, of course: we can", "no we can") ?? [[]];
    expect(marked(one)).toEqual(["yes, of course"]);
  });

  it("keeps every character of both texts", () => {
    const texts = ["  a b\n\nc é́ 退款 d!", "x a  退款 b ?"] as const;
    const found = differing(...texts) ?? [[], []];
    expect(found.map(whole)).toEqual([...texts]);
  });

  it("marks nothing in equal texts", () => {
    expect(marked((differing("the same words", "the same words") ?? [[]])[0])).toEqual([]);
  });

  it("leaves labels of one word, and very long texts, as they are", () => {
    expect(differing("good", "very bad")).toBeNull();
    const long = "word ".repeat(MOST_WORDS + 1);
    expect(differing(long, long)).toBeNull();
  });

  it("marks as few words as there can be", () => {
    const words = "abcab".split("").join(" ");
    const other = "babca".split("").join(" ");
    const [one, two] = differing(words, other) ?? [[], []];
    expect([marked(one), marked(two)]).toEqual([["b"], ["b"]]);
  });
});
