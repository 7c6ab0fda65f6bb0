import { expect, it } from 'vitest';
import { addRequestMarker, removeRequestMarker, requestMarker } from '../../../src/rules/products/request-marker.ts';

it.each(['', 'Greet visitors.', 'Two\n\nparagraphs <!-- with a comment -->'])(
  'leaves the body %j as written',
  (body) => {
    const marked = addRequestMarker(body, 'requests/r-1');
    expect(marked).toContain(requestMarker('requests/r-1'));
    expect(removeRequestMarker(marked)).toBe(body);
    // A code host may change the line ends and the end of a text.
    expect(removeRequestMarker(`${marked.replaceAll('\n', '\r\n')}\r\n`)).toBe(body.replaceAll('\n', '\r\n'));
  },
);

it('removes only a marker at the end', () => {
  const quoted = `${requestMarker('requests/r-1')}\n\nis how an issue ends.`;
  expect(removeRequestMarker(quoted)).toBe(quoted);
});
