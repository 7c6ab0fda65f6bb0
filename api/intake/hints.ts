/** Which application and which account a delivery says it is of: unproven, it only says whose secret to try first. */
export type Hints = { appId: string | undefined; accounts: string[] };

/** Where the account's name is found behind the word that announces it, in what code hosts send. */
const nearBytes = 4096;
const anywhereElse = 8;

export function hintsIn(headers: Record<string, string>, body: Buffer): Hints {
  const accounts = new Set([
    ...accountsAfter(body, '"repository"', /"full_name"\s*:\s*"([^"/]{1,100})\//),
    ...accountsAfter(body, '"organization"', /"login"\s*:\s*"([^"]{1,100})"/),
    ...accountsAfter(body, '"installation"', /"login"\s*:\s*"([^"]{1,100})"/),
    ...accountsAfter(body, '%22repository%22', /%22full_name%22%3A(?:\+|%20)*%22([^"%/]{1,100})%2F/i),
  ]);
  return { appId: headerLike(headers, /^x-[a-z]+-hook-installation-target-id$/), accounts: [...accounts] };
}

function accountsAfter(body: Buffer, word: string, name: RegExp): string[] {
  const found: string[] = [];
  let at = body.indexOf(word);
  for (let look = 0; at !== -1 && look < anywhereElse; look += 1) {
    const account = name.exec(body.toString('latin1', at, at + nearBytes))?.[1];
    if (account !== undefined) found.push(account.toLowerCase());
    at = body.indexOf(word, at + word.length);
  }
  return found;
}

/** The code host's own headers carry its name in their middle. */
export function headerLike(headers: Record<string, string>, name: RegExp): string | undefined {
  const value = Object.entries(headers).find(([header]) => name.test(header.toLowerCase()))?.[1];
  return value !== undefined && /^[\w.-]{1,100}$/.test(value) ? value : undefined;
}
