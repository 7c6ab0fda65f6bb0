import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { formatSizes, measureUi } from '../../../src/main/ui/measure-ui.ts';

const noise = (bytes: number): string => `"${randomBytes(bytes / 2).toString('hex')}";`;

it('measures what the first load and each page import, and says what is too large', () => {
  const scripts = {
    'index-a1': `import"./shared-b2.js";${noise(40_000)}import("./small-page-c3.js")`,
    'shared-b2': noise(20_000),
    'small-page-c3': `import"./shared-b2.js";export*from"./part-d4.js";`,
    'part-d4': noise(10_000),
    'large-page-e5': noise(300_000),
  };
  const files = new Map([
    ['/index.html', '<script type="module" src="/assets/index-a1.js"></script>'],
    ...Object.entries(scripts).map(([name, text]): [string, string] => [`/assets/${name}.js`, text]),
  ]);
  const encoder = new TextEncoder();
  const sizes = measureUi(
    new Map([...files].map(([path, text]) => [path, { body: encoder.encode(text), type: 'text/plain' }])),
  );
  expect(sizes.map(({ name }) => name)).toEqual(['first load', 'large', 'small']);
  const [first = 0, large = 0, small = 0] = sizes.map(({ bytes }) => bytes);
  expect(first).toBeGreaterThan(30_000);
  expect(first).toBeLessThan(120_000);
  expect(small).toBeGreaterThan(5_000);
  expect(small).toBeLessThan(first / 2);
  expect(large).toBeGreaterThan(110_000);
  expect(
    formatSizes(sizes)
      .split('\n')
      .filter((line) => line.endsWith('TOO LARGE')),
  ).toHaveLength(1);
});
