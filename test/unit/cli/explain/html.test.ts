import { expect, test } from "vitest";
import { isPage, pageWith } from "../../../../cli/explain/html.ts";

const page = '<p></p><script type="application/json" id="given">null</script><script>1</script>';

test("the page begins with the list, whose text cannot end the element", () => {
  const text = '{ "name": "</script><!--$&$1" }';
  const [, given = ""] = /id="given">(.*?)<\/script><script>1/s.exec(pageWith(text, page)) ?? [];
  expect(given).not.toContain("<");
  expect(JSON.parse(given)).toBe(text);
});

test("a list that is too long for the page is trouble", () => {
  expect(() => pageWith("x".repeat(32 * 1024 + 1), page)).toThrow("the page takes lists of up to 32 KB");
  expect(pageWith("x".repeat(32 * 1024), page)).toContain('id="given">"xxx');
});

test("a page is known again, and nothing else is one", () => {
  const whole = `<!doctype html>${page}`;
  expect([whole, pageWith("{}", whole), page, "<!doctype html><p>", "{}"].map(isPage)).toEqual([
    ...[true, true],
    ...[false, false, false],
  ]);
});
