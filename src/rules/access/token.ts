const prefix = 'svc_';
const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretBytes = 32;
/** 62^43 > 2^256: every token has the same length. */
const secretLength = 43;
/** 62^6 > 2^32. */
const checksumLength = 6;
const tokenShape = `${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}`;
const tokenPattern = new RegExp(`^${tokenShape}$`);

/** Builds the text of a token: a prefix, 32 random bytes in base62, and a checksum that detects a mistyped token without a lookup. */
export function createToken(random: Uint8Array): string {
  if (random.length !== secretBytes)
    throw new RangeError(`A token requires ${secretBytes} random bytes, not ${random.length}.`);
  const secret = base62(bytesToBigInt(random), secretLength);
  return prefix + secret + checksum(secret);
}

export function isToken(text: string): boolean {
  if (!tokenPattern.test(text)) return false;
  const secret = text.slice(prefix.length, prefix.length + secretLength);
  return text.endsWith(checksum(secret));
}

/** Returns where texts that look like tokens start and end. */
export const findTokens = (text: string): [start: number, end: number][] =>
  [...text.matchAll(new RegExp(tokenShape, 'g'))].map(({ index, 0: { length } }) => [index, index + length]);

const bytesToBigInt = (bytes: Uint8Array): bigint => bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = base62Digits.charAt(Number(rest % 62n)) + text;
  return text;
}

const checksum = (secret: string): string => base62(BigInt(crc32(secret)), checksumLength);

function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const character of text) {
    crc ^= character.charCodeAt(0);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
