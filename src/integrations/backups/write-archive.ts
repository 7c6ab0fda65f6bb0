import { createHash, createHmac } from 'node:crypto';
import { Encrypter } from 'age-encryption';
import { createTarPacker } from 'modern-tar';
import type { ArchiveKeys } from './recovery-key.ts';
import { type ArchiveEntry, contentsName, createEntryDigest, formatVersion, manifestName } from './archive-format.ts';

/** One file holds at most this much, so that neither side needs the memory for a whole archive. */
const partBytesMax = 32 * 1024 * 1024;

type ArchiveOptions = {
  keys: ArchiveKeys;
  /** Describes the archive; it is the first entry. */
  manifest: object;
  entries: AsyncIterable<ArchiveEntry>;
  /** Stores a part; parts are numbered from 1. */
  putPart: (number: number, bytes: Uint8Array) => Promise<void>;
};

export type WrittenArchive = { bytes: number; parts: number; sha256: string };

/**
 * Writes entries as an encrypted and compressed tar file, in parts. The last entry seals all others: without it, or with
 * another one, the archive is refused.
 */
export async function writeArchive({ keys, manifest, entries, putPart }: ArchiveOptions): Promise<WrittenArchive> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(keys.recipient);
  const { readable, controller } = createTarPacker();
  const add = async ({ name, bytes }: ArchiveEntry): Promise<void> => {
    const writer = controller.add({ name, size: bytes.byteLength, mtime: new Date(0), mode: 0o600 }).getWriter();
    await writer.write(bytes);
    await writer.close();
  };
  const pack = async (): Promise<void> => {
    const digest = createEntryDigest();
    for await (const entry of withManifest(manifest, entries)) {
      digest.add(entry);
      await add(entry);
    }
    const { count, sha256 } = digest.finish();
    const seal = createHmac('sha256', keys.seal).update(sha256).digest('hex');
    await add({ name: contentsName, bytes: toJsonBytes({ entries: count, sha256, seal }) });
    controller.finalize();
  };
  const encrypted = await encrypter.encrypt(readable.pipeThrough(new CompressionStream('gzip')));
  const packed = pack().catch((error: unknown) => {
    controller.error(error);
    throw error;
  });
  const [written] = await Promise.all([writeParts(encrypted, putPart), packed]);
  return written;
}

async function* withManifest(manifest: object, entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<ArchiveEntry> {
  yield { name: manifestName, bytes: toJsonBytes({ format: formatVersion, ...manifest }) };
  yield* entries;
}

const toJsonBytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

async function writeParts(
  stream: ReadableStream<Uint8Array>,
  putPart: ArchiveOptions['putPart'],
): Promise<WrittenArchive> {
  const hash = createHash('sha256');
  let [pending, pendingBytes, bytes, parts] = [[] as Uint8Array[], 0, 0, 0];
  const flush = async (): Promise<void> => {
    parts += 1;
    await putPart(parts, Buffer.concat(pending));
    [pending, pendingBytes] = [[], 0];
  };
  for await (const chunk of stream) {
    hash.update(chunk);
    pending.push(chunk);
    pendingBytes += chunk.byteLength;
    bytes += chunk.byteLength;
    if (pendingBytes >= partBytesMax) await flush();
  }
  if (pendingBytes > 0) await flush();
  return { bytes, parts, sha256: hash.digest('hex') };
}
