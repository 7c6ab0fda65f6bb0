import { createSecretKey } from 'node:crypto';
import type { Organization } from '../../src/rules/orgs/kinds.ts';
import { type Secret, readSecretText } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { webhookSecretKeys } from '../codehost/codehost-app.ts';
import type { SenderHints } from './sender-hints.ts';
import type { Signer } from './signer.ts';

/** All signers at one moment. The object is the same until a signer changes or a previous secret expires. */
export type SignerSnapshot = { all: Signer[]; candidates: (hints: SenderHints) => Signer[] };

/** Indexes the webhook secrets of all orgs by app and by code host account. */
export class SignerIndex {
  readonly #accounts = new Map<string, string>();
  readonly #secrets = new Map<string, Secret>();
  #snapshot: SignerSnapshot | undefined;
  /** The time until which every secret of the snapshot is valid. */
  #validUntilMs = Infinity;

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

  snapshotAt(now: Date): SignerSnapshot {
    if (now.getTime() >= this.#validUntilMs) this.#snapshot = undefined;
    return (this.#snapshot ??= this.#buildSnapshot(now.getTime()));
  }

  #buildSnapshot(nowMs: number): SignerSnapshot {
    this.#validUntilMs = Infinity;
    const all: Signer[] = [];
    const byApp = new Map<string, Signer[]>();
    const byAccount = new Map<string, Signer[]>();
    for (const [org, account] of this.#accounts) {
      const entry = this.#secrets.get(orgNamespace(org));
      const usable = this.#listUsableSecrets(entry, nowMs);
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

  /** The previous secret stays valid for deliveries that it signed; without a date it is not. */
  #listUsableSecrets(entry: Secret | undefined, nowMs: number): Buffer[] {
    const secrets = [readSecretBytes(entry, webhookSecretKeys.current)];
    const expiresMs = Date.parse(readSecretText(entry, webhookSecretKeys.previousExpires) ?? '');
    if (expiresMs > nowMs) {
      this.#validUntilMs = Math.min(this.#validUntilMs, expiresMs);
      secrets.push(readSecretBytes(entry, webhookSecretKeys.previous));
    }
    return secrets.filter(({ length }) => length > 0);
  }
}

const readSecretBytes = (entry: Secret | undefined, key: string): Buffer =>
  Buffer.from(entry?.data?.[key] ?? '', 'base64');

function addToGroup(map: Map<string, Signer[]>, key: string, signer: Signer): void {
  const group = map.get(key);
  if (group) group.push(signer);
  else map.set(key, [signer]);
}
