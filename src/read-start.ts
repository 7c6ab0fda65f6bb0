/** Reads the start of a body as text. One of a server that others control may be endless, and longer than it was asked to be. */
export async function readStart(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, bytesMax);
}
