import { randomBytes } from 'node:crypto';
import {
  type Answer,
  AUTHENTIC_DATA,
  type DecodedPacket,
  type RecordType,
  RECURSION_DESIRED,
  decode,
  encode,
} from 'dns-packet';

export type Question = { name: string; type: RecordType; recursive: boolean };
/** An answer to a question of ours, with names in lower case. */
export type Reply = {
  rcode: string;
  authoritative: boolean;
  /** Not to be trusted as it is: cut off, or not in the spelling that was asked. */
  doubtful: boolean;
  answers: Answer[];
  authorities: Answer[];
  additionals: Answer[];
};
/** What goes out, with the id and the spelling that its answer must repeat. */
export type Sent = { id: number; name: string; bytes: Buffer };

/** Fits into one packet of any network, as resolvers agreed on the "flag day" of 2020. */
const udpBytesMax = 1232;

/** Random case in the name: with the id and the port it is what somebody who does not see the question would have to guess. */
export function writeQuestion({ name, type, recursive }: Question): Sent {
  const random = randomBytes(2 + name.length);
  const id = random.readUInt16BE(0);
  const spelled = name.replaceAll(/[a-z]/g, (letter, index: number) =>
    (random[index + 2] ?? 0) & 1 ? letter.toUpperCase() : letter,
  );
  const bytes = encode({
    type: 'query',
    id,
    flags: (recursive ? RECURSION_DESIRED : 0) & ~AUTHENTIC_DATA,
    questions: [{ type, name: spelled }],
    additionals: [{ type: 'OPT', name: '.', udpPayloadSize: udpBytesMax, flags: 0 } as Answer],
  });
  return { id, name: spelled, bytes };
}

/** Undefined for what is no answer to that question. */
export function readReply(bytes: Buffer, sent: Sent): Reply | undefined {
  const packet = decoded(bytes);
  const [question] = packet?.questions ?? [];
  if (packet?.type !== 'response' || packet.id !== sent.id) return undefined;
  // A server that refuses what it cannot read repeats no question.
  if (question && question.name.toLowerCase() !== sent.name.toLowerCase()) return undefined;
  return {
    rcode: String((packet as DecodedPacket & { rcode?: string }).rcode ?? 'NOERROR'),
    authoritative: packet.flag_aa,
    doubtful: packet.flag_tc || question?.name !== sent.name,
    answers: (packet.answers ?? []).map(lowered),
    authorities: (packet.authorities ?? []).map(lowered),
    additionals: (packet.additionals ?? []).map(lowered),
  };
}

function decoded(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes);
  } catch {
    // Whatever arrived, it is not DNS.
    return undefined;
  }
}

const lowered = (record: Answer): Answer => ({ ...record, name: record.name.toLowerCase() });
