import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Organization } from '../../src/rules/catalog/kinds.ts';
import { type Secret, secretText } from '../../src/rules/core-kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Hints } from './hints.ts';

/** The current secret, and the one before it while deliveries signed with that are still on their way. */
const secretKeys = ['webhook-secret', 'webhook-secret-previous'];

/**
 * An org that deliveries may come from; `slug` is how its application is called at the code host. Keys that are made once
 * take half the time of bytes.
 */
export type Signer = { org: string; slug: string | undefined; secrets: KeyObject[] };
/** All of them at one moment; the same object for as long as nothing changes. */
export type Signers = { all: Signer[]; pointedAt: (hints: Hints) => Signer[] };

/** Puts together what deliveries can be signed with, from orgs and their secret-store entries. */
export class KnownSigners {
  readonly #accounts = new Map<string, string>();
  readonly #entries = new Map<string, Secret>();
  #signers: Signers | undefined;

  noteOrg({ metadata, spec }: Organization, gone = false): void {
    if (gone) this.#accounts.delete(metadata.name);
    else this.#accounts.set(metadata.name, spec.codehostAccount.toLowerCase());
    this.#signers = undefined;
  }

  noteEntry(entry: Secret, gone = false): void {
    if (gone) this.#entries.delete(entry.metadata.namespace);
    else this.#entries.set(entry.metadata.namespace, entry);
    this.#signers = undefined;
  }

  get signers(): Signers {
    return (this.#signers ??= this.#together());
  }

  #together(): Signers {
    const all: Signer[] = [];
    const byApp = new Map<string, Signer[]>();
    const byAccount = new Map<string, Signer[]>();
    for (const [org, account] of this.#accounts) {
      const entry = this.#entries.get(orgNamespace(org));
      const secrets = secretKeys.map((key) => Buffer.from(entry?.data?.[key] ?? '', 'base64'));
      const usable = secrets.filter(({ length }) => length > 0);
      if (entry === undefined || usable.length === 0) continue;
      const signer: Signer = {
        org,
        slug: secretText(entry, 'slug'),
        secrets: usable.map((secret) => createSecretKey(secret)),
      };
      all.push(signer);
      add(byAccount, account, signer);
      add(byApp, secretText(entry, 'app-id') ?? '', signer);
    }
    return {
      all,
      pointedAt: ({ appId, accounts }) => [
        ...new Set([
          ...((appId !== undefined && byApp.get(appId)) || []),
          ...accounts.flatMap((account) => byAccount.get(account) ?? []),
        ]),
      ],
    };
  }
}

function add(map: Map<string, Signer[]>, key: string, signer: Signer): void {
  const held = map.get(key);
  if (held) held.push(signer);
  else map.set(key, [signer]);
}
