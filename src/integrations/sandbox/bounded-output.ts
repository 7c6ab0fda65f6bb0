/** Keeps the beginning and the end of a stream of any length. */
export function boundedOutput(bytesMax: number): { add: (chunk: Buffer) => void; text: () => string } {
  const half = Math.floor(bytesMax / 2);
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  let leftOut = 0;

  return {
    add(chunk) {
      const room = half - head.length;
      if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
      const rest = chunk.subarray(Math.max(room, 0));
      if (rest.length === 0) return;
      tail = Buffer.concat([tail, rest]);
      // Cut only now and then: copying the tail for every small chunk would cost more than the command.
      if (tail.length > 4 * half + 65_536) cut();
    },
    text() {
      cut();
      if (leftOut === 0) return Buffer.concat([head, tail]).toString();
      return `${head.toString()}\n[… ${leftOut} bytes left out …]\n${tail.toString()}`;
    },
  };

  function cut(): void {
    const over = tail.length - half;
    if (over <= 0) return;
    leftOut += over;
    tail = Buffer.from(tail.subarray(over));
  }
}
