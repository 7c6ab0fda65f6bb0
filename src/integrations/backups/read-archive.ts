import { createHmac, timingSafeEqual } from 'node:crypto';
import { Decrypter } from 'age-encryption';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { Timestamp } from '../../rules/names.ts';
import { type ArchiveEntry, contentsName, createEntryDigest, formatVersion, manifestName } from './archive-format.ts';
import { deriveArchiveKeys } from './recovery-key.ts';

/** The largest blobs of the service are uploaded archives, which are much smaller. */
const entryBytesMax = 256 * 1024 * 1024;

export const ArchiveManifest = z.object({
  format: z.literal(formatVersion),
  backup: z.string(),
  createdAt: Timestamp,
  version: z.string(),
  orgs: z.array(z.string()),
});
export type ArchiveManifest = z.infer<typeof ArchiveManifest>;

const Contents = z.strictObject({ entries: z.int(), sha256: z.string(), seal: z.string() });

type ReadOptions = { recoveryKey: string; parts: AsyncIterable<Uint8Array> };

/**
 * Reads an archive entry by entry, the manifest apart. Throws at the end unless the archive is complete, unchanged and
 * sealed, so nothing may be done with the entries before.
 */
export async function readArchive(
  { recoveryKey, parts }: ReadOptions,
  visit: (entry: ArchiveEntry) => Promise<void>,
): Promise<ArchiveManifest> {
  const { seal } = await deriveArchiveKeys(recoveryKey);
  const digest = createEntryDigest();
  let manifest: ArchiveManifest | undefined;
  let contents: z.infer<typeof Contents> | undefined;
  for await (const entry of listEntries({ recoveryKey, parts })) {
    if (contents) throw refused('It continues after its last entry.');
    if (manifest && entry.name === contentsName) {
      contents = parseEntry(Contents, entry);
      continue;
    }
    digest.add(entry);
    if (manifest) await visit(entry);
    else manifest = parseManifest(entry);
  }
  const { count, sha256 } = digest.finish();
  if (!manifest || contents?.entries !== count || contents.sha256 !== sha256) throw refused('It is not complete.');
  const expected = createHmac('sha256', seal).update(sha256).digest();
  const given = Buffer.from(contents.seal, 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refused('It was not written by an installation that had this recovery key.');
  return manifest;
}

async function* listEntries({ recoveryKey, parts }: ReadOptions): AsyncGenerator<ArchiveEntry> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(recoveryKey);
  const source = trackErrors(parts);
  const refuse = (reason: 'recovery-key-wrong' | 'archive-refused') => (error: unknown) => {
    source.throwIfFailed();
    return rethrow(reason)(error);
  };
  const stream = await decrypter.decrypt(ReadableStream.from(source.parts)).catch(refuse('recovery-key-wrong'));
  const entries = stream.pipeThrough(new DecompressionStream('gzip')).pipeThrough(createTarDecoder({ strict: true }));
  const reader = entries.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(refuse('archive-refused'));
      if (done) return;
      yield { name: value.header.name, bytes: await readBody(value).catch(refuse('archive-refused')) };
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** An error of the destination says nothing about the archive or its key, and passes through streams that hide it. */
function trackErrors(source: AsyncIterable<Uint8Array>): {
  parts: AsyncIterable<Uint8Array>;
  throwIfFailed: () => void;
} {
  let failure: { error: unknown } | undefined;
  const track = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* source;
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  const throwIfFailed = (): void => {
    if (failure) throw failure.error;
  };
  return { parts: track(), throwIfFailed };
}

async function readBody({ header, body }: ParsedTarEntry): Promise<Uint8Array> {
  if (header.type !== undefined && header.type !== 'file') throw refused(`"${header.name}" is not a file.`);
  if (header.size > entryBytesMax) throw refused(`"${header.name}" is larger than ${entryBytesMax} bytes.`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  if (bytes.byteLength !== header.size) throw refused('It is not complete.');
  return bytes;
}

function parseManifest(entry: ArchiveEntry): ArchiveManifest {
  if (entry.name !== manifestName) throw refused('It does not begin with a manifest.');
  const { format } = parseEntry(z.object({ format: z.unknown() }), entry);
  if (format !== formatVersion)
    throw refused(
      `It has the format ${JSON.stringify(format)}, and this version of the service reads ${formatVersion}.`,
    );
  return parseEntry(ArchiveManifest, entry);
}

function parseEntry<T>(schema: z.ZodType<T>, { name, bytes }: ArchiveEntry): T {
  const parsed = schema.safeParse(parseJson(bytes));
  if (!parsed.success) throw refused(`"${name}" is not valid.`);
  return parsed.data;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

const refused = (cause: string): ServiceError =>
  new ServiceError('archive-refused', `The archive cannot be restored. ${cause} Nothing was written.`);

/** The errors of the libraries are not attached, because they may quote what they read. */
const rethrow =
  (reason: 'recovery-key-wrong' | 'archive-refused') =>
  (error: unknown): never => {
    if (error instanceof ServiceError) throw error;
    throw reason === 'archive-refused'
      ? refused('It was damaged or cut off.')
      : new ServiceError(
          'recovery-key-wrong',
          'The recovery key does not decrypt the archive, or its beginning is damaged. Send the key that was shown when the backup key was created.',
          { errors: [{ pointer: '/recoveryKey', detail: 'does not decrypt the archive' }] },
        );
  };
