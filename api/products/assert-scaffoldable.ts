import { invalid, ServiceError } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { archiveKey } from '../../src/rules/products/archive-limits.ts';
import type { ProductSource } from '../../src/rules/products/source.ts';
import { templateViolation } from '../../src/rules/products/templates.ts';
import type { ApiDeps } from '../deps.ts';

/** Throws before anything is created when a repo or a Release cannot be made from the source. */
export async function assertScaffoldable(
  { blobs, codehost, missingLanguages = {} }: Pick<ApiDeps, 'blobs' | 'codehost' | 'missingLanguages'>,
  org: string,
  { repo, template, archive }: ProductSource,
): Promise<void> {
  const violation = template && templateViolation(template, missingLanguages);
  if (violation !== undefined)
    throw invalid(`Products of the template "${template}" cannot be released here. ${violation}`, [
      { pointer: '/spec/source/template', detail: `cannot be built here: ${violation}` },
    ]);
  if (archive) await assertArchiveStored(blobs, { org, sha256: archive.sha256 });
  const host = await codehost.forOrg(org);
  if (await host.findRepository(repo))
    throw new ServiceError(
      'repo-exists',
      `The code host has a repo ${repo}. Choose another repo, or create the Product without source to use this one.`,
      { errors: [{ pointer: '/spec/source/repo', detail: 'exists on the code host' }] },
    );
}

async function assertArchiveStored(blobs: Blobs, archive: { org: string; sha256: string }): Promise<void> {
  const key = archiveKey(archive);
  if ((await blobs.list(key)).includes(key)) return;
  throw invalid(`The org "${archive.org}" has no archive ${archive.sha256}. Upload it first.`, [
    { pointer: '/spec/source/archive/sha256', detail: 'is not the SHA-256 of an uploaded archive: upload it first' },
  ]);
}
