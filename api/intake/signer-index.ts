import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Organization } from '../../src/rules/orgs/kinds.ts';
import { type Secret, readSecretText } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { SenderHints } from './sender-hints.ts';

/** The previous secret stays valid while deliveries that it signed are in flight. */
const secretKeys = ['webhook-secret', 'webhook-secret-previous'];

/** A body with the digest that its sender sent as the signature. */
export type SignedBody = { body: Buffer; digest: Buffer };
/** An org with its webhook secrets. Hashing with a prepared `KeyObject` takes half the time of hashing with bytes. */
export type Signer = { org: string; appSlug: string | undefined; secrets: KeyObject[] };
/** All signers at one moment. The object is the same until a signer changes. */
export type SignerSnapshot = { all: Signer[]; candidates: (hints: SenderHints) => Signer[] };

/** Indexes the webhook secrets of all orgs by app and by code host account. */
export class SignerIndex {
  readonly #accounts = new Map<string, string>();
  readonly #secrets = new Map<string, Secret>();
  #snapshot: SignerSnapshot | undefined;

  replaceOrgs(orgs: Organization[]): void {
    this.#accounts.clear();
    this.#snapshot = undefined;
    for (const org of orgs) this.updateOrg(org);
  }

  replaceSecrets(entries: Secret[]): void {
    this.#secrets.clear();
    this.#snapshot = undefined;
    for (const entry of entries) this.updateSecret(entry);
  }

  updateOrg({ metadata, spec }: Organization, isDeleted = false): void {
    if (isDeleted) this.#accounts.delete(metadata.name);
    else this.#accounts.set(metadata.name, spec.codehostAccount.toLowerCase());
    this.#snapshot = undefined;
  }

  updateSecret(entry: Secret, isDeleted = false): void {
    if (isDeleted) this.#secrets.delete(entry.metadata.namespace);
    else this.#secrets.set(entry.metadata.namespace, entry);
    this.#snapshot = undefined;
  }

  get snapshot(): SignerSnapshot {
    return (this.#snapshot ??= this.#buildSnapshot());
  }

  #buildSnapshot(): SignerSnapshot {
    const all: Signer[] = [];
    const byApp = new Map<string, Signer[]>();
    const byAccount = new Map<string, Signer[]>();
    for (const [org, account] of this.#accounts) {
      const entry = this.#secrets.get(orgNamespace(org));
      const secrets = secretKeys.map((key) => Buffer.from(entry?.data?.[key] ?? '', 'base64'));
      const usable = secrets.filter(({ length }) => length > 0);
      if (entry === undefined || usable.length === 0) continue;
      const signer: Signer = {
        org,
        appSlug: readSecretText(entry, 'slug'),
        secrets: usable.map((secret) => createSecretKey(secret)),
      };
      all.push(signer);
      addToGroup(byAccount, account, signer);
      addToGroup(byApp, readSecretText(entry, 'app-id') ?? '', signer);
    }
    return {
      all,
      candidates: ({ appId, accounts }) => [
        ...new Set([
          ...((appId !== undefined && byApp.get(appId)) || []),
          ...accounts.flatMap((account) => byAccount.get(account) ?? []),
        ]),
      ],
    };
  }
}

function addToGroup(map: Map<string, Signer[]>, key: string, signer: Signer): void {
  const group = map.get(key);
  if (group) group.push(signer);
  else map.set(key, [signer]);
}
