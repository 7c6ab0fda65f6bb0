import { expect, it } from 'vitest';
import { formatCursor, parseCursor } from '../../../api/me/stream-cursor.ts';

it('reads the id that it wrote', () => {
  const cursor = new Map([
    ['products', '7'],
    ['releases', '1234567890123456789'],
  ]);
  expect(formatCursor(cursor)).toBe('products:7,releases:1234567890123456789');
  expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
});

it.each([
  undefined,
  '',
  '7',
  'products',
  'products:',
  'products:x',
  'products:-1',
  'products:0',
  `products:${'1'.repeat(20)}`,
])('ignores %s, which is no id of the stream', (text) => {
  expect(parseCursor(text)).toEqual(new Map());
});
