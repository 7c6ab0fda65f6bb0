let isExpected = false;

/** A followed link takes the focus to the heading of the page that follows, which screen readers then read. */
export function expectFocus(): void {
  isExpected = true;
}

/** Returns whether the page was opened by a link, and not by the browser itself. */
export function takeExpectedFocus(): boolean {
  const expected = isExpected;
  isExpected = false;
  return expected;
}
