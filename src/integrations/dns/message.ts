import { randomBytes } from 'node:crypto';
import {
  type Answer,
  AUTHENTIC_DATA,
  type DecodedPacket,
  type RecordType,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
  decode,
  encode,
} from 'dns-packet';
import { canonicalAddress } from '../../rules/network/canonical-address.ts';

export type Question = { name: string; type: RecordType; recursionDesired: boolean };
/** A response, with names in lower case and addresses in canonical form. */
export type Reply = {
  rcode: string;
  authoritative: boolean;
  isTruncated: boolean;
  /** The response is truncated, or does not repeat the spelling of the name, so it may be forged. */
  retryOverTcp: boolean;
  answers: Answer[];
  authorities: Answer[];
  additionals: Answer[];
};
/** An encoded query, with the id and the spelling that its response must repeat. */
export type SentQuery = { id: number; name: string; bytes: Buffer };

/** Fits into one packet on any network, as agreed for the DNS flag day 2020. */
const udpBytesMax = 1232;
/** The header of a message ends with the numbers of its records, each of two bytes. */
const headerBytes = 12;

/** The random case of the name, the id and the port must all be guessed to forge a response. */
export function encodeQuestion({ name, type, recursionDesired }: Question, { edns = true } = {}): SentQuery {
  const random = randomBytes(2 + name.length);
  const id = random.readUInt16BE(0);
  const spelled = name.replaceAll(/[a-z]/g, (letter, index: number) =>
    (random[index + 2] ?? 0) & 1 ? letter.toUpperCase() : letter,
  );
  const bytes = encode({
    type: 'query',
    id,
    flags: (recursionDesired ? RECURSION_DESIRED : 0) & ~AUTHENTIC_DATA,
    questions: [{ type, name: spelled }],
    ...(edns && { additionals: [{ type: 'OPT', name: '.', udpPayloadSize: udpBytesMax, flags: 0 } as Answer] }),
  });
  return { id, name: spelled, bytes };
}

/** Returns undefined when the message is not a response to the query. */
export function decodeReply(bytes: Buffer, sent: SentQuery): Reply | undefined {
  const packet = tryDecode(bytes) ?? tryDecode(withoutCutRecords(bytes));
  const [question] = packet?.questions ?? [];
  if (packet?.type !== 'response' || packet.id !== sent.id) return undefined;
  // A server that cannot parse the query repeats no question.
  if (question && question.name.toLowerCase() !== sent.name.toLowerCase()) return undefined;
  return {
    rcode: String((packet as DecodedPacket & { rcode?: string }).rcode ?? 'NOERROR'),
    authoritative: packet.flag_aa,
    isTruncated: packet.flag_tc,
    retryOverTcp: packet.flag_tc || question?.name !== sent.name,
    answers: (packet.answers ?? []).map(normalizeRecord),
    authorities: (packet.authorities ?? []).map(normalizeRecord),
    additionals: (packet.additionals ?? []).map(normalizeRecord),
  };
}

/** A truncated response may end within a record, so it is read without its records, which do not count anyway. */
function withoutCutRecords(bytes: Buffer): Buffer {
  const isTruncated = bytes.length >= headerBytes && (bytes.readUInt16BE(2) & TRUNCATED_RESPONSE) !== 0;
  return isTruncated ? Buffer.from(bytes).fill(0, 6, headerBytes) : bytes;
}

function tryDecode(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes);
  } catch {
    // The packet is not a DNS message.
    return undefined;
  }
}

/** Equal names and addresses are equal texts, which the decoder does not ensure. */
function normalizeRecord(record: Answer): Answer {
  const name = record.name.toLowerCase();
  return record.type === 'AAAA' ? { ...record, name, data: canonicalAddress(record.data) } : { ...record, name };
}
