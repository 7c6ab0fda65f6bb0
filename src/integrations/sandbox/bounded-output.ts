/** Keeps the start and the end of an output, and drops the middle beyond the limit. */
export function boundedOutput(bytesMax: number): { add: (chunk: Buffer) => void; text: () => string } {
  const half = Math.floor(bytesMax / 2);
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let droppedBytes = 0;

  return {
    add(chunk) {
      const available = half - head.length;
      if (available > 0) head = Buffer.concat([head, chunk.subarray(0, available)]);
      const rest = chunk.subarray(Math.max(available, 0));
      if (rest.length === 0) return;
      tail = Buffer.concat([tail, rest]);
      // The tail is cut only occasionally, because copying it for every small chunk would be slow.
      if (tail.length > 4 * half + 65_536) cut();
    },
    text() {
      cut();
      if (droppedBytes === 0) return Buffer.concat([head, tail]).toString();
      return `${head.toString()}\n[… ${droppedBytes} bytes omitted …]\n${tail.toString()}`;
    },
  };

  function cut(): void {
    const excess = tail.length - half;
    if (excess <= 0) return;
    droppedBytes += excess;
    tail = Buffer.from(tail.subarray(excess));
  }
}
