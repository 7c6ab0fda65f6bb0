/** The app and accounts that a delivery names. They are unverified and only decide which secrets to try first. */
export type SenderHints = { appId: string | undefined; accounts: string[] };

/** Code hosts send the account name within this distance after the key of its object. */
const lookaheadBytes = 4096;
const occurrencesMax = 8;
/** In a larger body, only its first and last bytes are searched: names stand next to what changed, which may be long. */
const searchedBytesMax = 512 * 1024;

export function parseSenderHints(headers: Record<string, string>, body: Buffer): SenderHints {
  const half = searchedBytesMax / 2;
  const searched = body.length <= searchedBytesMax ? [body] : [body.subarray(0, half), body.subarray(-half)];
  const accounts = new Set(
    searched.flatMap((part) => [
      ...findAccountsAfter(part, '"repository"', /"full_name"\s*:\s*"([^"/]{1,100})\//),
      ...findAccountsAfter(part, '"organization"', /"login"\s*:\s*"([^"]{1,100})"/),
      ...findAccountsAfter(part, '"installation"', /"login"\s*:\s*"([^"]{1,100})"/),
      ...findAccountsAfter(part, '%22repository%22', /%22full_name%22%3A(?:\+|%20)*%22([^"%/]{1,100})%2F/i),
    ]),
  );
  return { appId: findAppId(headers), accounts: [...accounts] };
}

export const findAppId = (headers: Record<string, string>): string | undefined =>
  findHeader(headers, /^x-[a-z]+-hook-installation-target-id$/);

function findAccountsAfter(body: Buffer, key: string, name: RegExp): string[] {
  const found: string[] = [];
  let at = body.indexOf(key);
  for (let count = 0; at !== -1 && count < occurrencesMax; count += 1) {
    const account = name.exec(body.toString('latin1', at, at + lookaheadBytes))?.[1];
    if (account !== undefined) found.push(account.toLowerCase());
    at = body.indexOf(key, at + key.length);
  }
  return found;
}

/** Header names contain the name of the code host product, so they are matched by pattern. */
export function findHeader(headers: Record<string, string>, name: RegExp): string | undefined {
  const value = Object.entries(headers).find(([header]) => name.test(header.toLowerCase()))?.[1];
  return value !== undefined && /^[\w.-]{1,100}$/.test(value) ? value : undefined;
}
