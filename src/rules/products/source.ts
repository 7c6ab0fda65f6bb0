import { z } from 'zod';
import { Failure } from '../changes/kinds.ts';
import { RepoName, Timestamp } from '../names.ts';
import { TemplateName } from './templates.ts';

export const ProductSource = z
  .strictObject({
    repo: RepoName.describe('Repo that is created for the Product.'),
    template: TemplateName.optional().describe('Template whose files are the first commit.'),
    archive: z
      .strictObject({
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
          .describe('SHA-256 of the archive.'),
      })
      .optional()
      .describe('Uploaded archive whose files are the first commit.'),
  })
  .describe(
    'How the Product was made, if the service created its repo: from a `template` or an `archive`. It cannot change.',
  );
export type ProductSource = z.infer<typeof ProductSource>;

export const ProductScaffold = z
  .object({
    phase: z
      .enum(['CreatingRepo', 'Committing', 'StartingRelease', 'Succeeded', 'Failed'])
      .describe('Step that is in progress, or the result.'),
    message: z.string().describe('The phase in words.'),
    startedAt: Timestamp.describe('Time at which the last attempt started.'),
    finishedAt: Timestamp.optional().describe('Time at which the last attempt ended.'),
    commit: z.string().optional().describe('First commit of the Product’s files, which the first Release builds.'),
    failure: Failure.optional().describe('Failure of the last attempt.'),
  })
  .describe('Progress of creating the repo and the first Release; absent for a Product with a repo of its own.');
export type ProductScaffold = z.infer<typeof ProductScaffold>;

/** Names the person who created the Product, who also starts its first Release. */
export const createdByAnnotation = 'service.delivery/created-by';

/** The trailer of the first commit. Its value is the uid of the Product, so that a retry finds the commit. */
export const scaffoldTrailer = 'Service-Scaffold';

/** A part of the repo's description by which a retry finds the repo that an earlier attempt created. */
export const scaffoldMarker = (uid: string): string => `(${scaffoldTrailer} ${uid})`;

export const describeSource = ({ template, archive }: ProductSource): string =>
  template === undefined ? `an archive (${archive?.sha256.slice(0, 12) ?? ''})` : `the template ${template}`;
