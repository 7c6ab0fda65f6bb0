import { ApiProblem } from './request.ts';

export type Range = { bytes: Uint8Array<ArrayBuffer>; next: number | undefined };

/** Reads a part of a file, so that the beginning of a large one is shown early. */
export async function readRange(
  url: string,
  { from, length, signal }: { from: number; length: number; signal: AbortSignal },
): Promise<Range> {
  const response = await fetch(url, { headers: { Range: `bytes=${from}-${from + length - 1}` }, signal });
  // An empty file has no range that could be returned.
  if (response.status === 416) return { bytes: new Uint8Array(), next: undefined };
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as object;
    throw new ApiProblem({ status: response.status, title: 'The file cannot be read', ...problem });
  }
  const bytes = new Uint8Array(await response.arrayBuffer());
  const total = Number(/\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1] ?? 0);
  const end = from + bytes.length;
  return { bytes, next: response.status === 206 && end < total ? end : undefined };
}
