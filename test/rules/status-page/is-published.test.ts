import { expect, it } from 'vitest';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { isPublished } from '../../../src/rules/status-page/is-published.ts';
import { buildResource } from '../build-resource.ts';

const build = (statusPage?: { public: boolean }, status?: object) =>
  buildResource(ProductKind, {
    spec: { repos: [], delivery: { zones: [] }, ...(statusPage && { statusPage }) },
    status: { conditions: [], ...status },
  } as never);

it('needs the word of the spec, and ends with the deletion of the Product', () => {
  expect(isPublished(build())).toBe(false);
  expect(isPublished(build({ public: false }))).toBe(false);
  expect(isPublished(build({ public: true }))).toBe(true);
  expect(isPublished(build({ public: true }, { deletionMessage: 'Asked.' }))).toBe(false);
});
