import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isServiceError, ServiceError } from '../../errors.ts';
import { ConfigMapKind, readSecretText, SecretKind, toSecretData } from '../../kinds/kubernetes.ts';
import {
  type DecisionJudge,
  type DecisionProof,
  decisionViolation,
  readProof,
  type SignedDecision,
  signDecision,
} from '../../rules/access/decisions.ts';
import { decisionKeyName, formerDecisionKeyLabels } from '../../rules/access/decision-keys.ts';
import { systemNamespace } from '../../rules/resource.ts';
import { applyObject } from '../../store/apply-object.ts';
import type { Store } from '../../store/store.ts';

/** The Secret holds the private key, which only the API reads; the ConfigMap holds the public key for the workers. */
const keyRef = { namespace: systemNamespace, name: decisionKeyName };

/** Returns the function with which the API signs decisions. The installation's key is created at the first start. */
export async function createDecisionSigner(
  store: Store,
  now: () => Date,
): Promise<(decision: Omit<SignedDecision, 'at'>) => DecisionProof> {
  const privateKey = await ensurePrivateKey(store);
  const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  await applyObject(store, ConfigMapKind, { ref: keyRef, build: () => ({ data: { 'public-key': pem } }) });
  return (decision) => signDecision(privateKey, { ...decision, at: now().toISOString() });
}

async function ensurePrivateKey(store: Store): Promise<KeyObject> {
  const existing = await store.find(SecretKind, keyRef);
  const secret = existing ?? (await createSecret(store));
  return createPrivateKey(readSecretText(secret, 'private-key') ?? '');
}

async function createSecret(store: Store) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return await store
    .create(SecretKind, { metadata: keyRef, data: toSecretData({ 'private-key': pem }) })
    .catch(async (error: unknown) => {
      // Another replica created it first.
      if (!isServiceError(error, 'conflict')) throw error;
      return await store.get(SecretKind, keyRef);
    });
}

/** Judges decisions by the installation's public key. */
export function createDecisionJudge(store: Store, now: () => Date): DecisionJudge {
  const read = async (proof: DecisionProof | undefined): Promise<SignedDecision | undefined> => {
    const pem = (await store.find(ConfigMapKind, keyRef))?.data?.['public-key'];
    if (pem === undefined)
      throw new ServiceError('unavailable', 'The API has not published its key for decisions yet. Start the API.');
    return readProof(createPublicKey(pem), proof);
  };
  const readFormer = async (proof: DecisionProof | undefined): Promise<SignedDecision | undefined> => {
    const labels = formerDecisionKeyLabels;
    const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace, labels });
    return items
      .map(({ data }) => readProof(createPublicKey(data?.['public-key'] ?? ''), proof))
      .find((signed) => signed !== undefined);
  };
  return {
    judgeNew: async (proof, expected) => decisionViolation(await read(proof), expected, now()),
    judgeRecorded: async (proof, isExpected) => {
      const signed = (await read(proof)) ?? (await readFormer(proof));
      return signed && isExpected(signed) ? undefined : 'it has no valid signature for this decision';
    },
  };
}
