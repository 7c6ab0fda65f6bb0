import { type KeyObject, sign, verify } from 'node:crypto';

export type DecisionAction =
  | 'approveStep'
  | 'rejectStep'
  | 'guideStep'
  | 'retryStep'
  | 'cancelRun'
  | 'approvePromotion'
  | 'rejectPromotion'
  | 'promoteManually'
  | 'freezeZone'
  | 'unfreezeZone'
  | 'cancelRelease';

/** The subject of a decision. A proof contains it, and so is of no use for another org, run or zone. */
export type DecisionScope = { org: string } & Partial<Record<'run' | 'product' | 'zone' | 'commit', string>>;

/** A decision of a person as the API signs it: who (in `decision`), when and what. */
export type SignedDecision<T = object> = { action: DecisionAction; scope: DecisionScope; decision: T; at: string };

/** The signed decision and its Ed25519 signature, each in base64url, with a dot between them. */
export type DecisionProof = string;

/** The time for which the worker may be away between a decision and its record. */
const ageMaxMs = 10 * 60_000;
/** The difference between the clocks of two processes. */
const clockSkewMaxMs = 60_000;

/** Judges whether decisions were made through the API. A result is the reason why one was not. */
export type DecisionJudge = {
  /** Judges a decision that has just arrived. */
  judgeNew: (proof: DecisionProof | undefined, expected: Omit<SignedDecision, 'at'>) => Promise<string | undefined>;
  /** Judges the proof of a decision that a resource records, however old it is. */
  judgeRecorded: (
    proof: DecisionProof | undefined,
    isExpected: (signed: SignedDecision) => boolean,
  ) => Promise<string | undefined>;
};

export function signDecision(privateKey: KeyObject, decision: SignedDecision): DecisionProof {
  const payload = Buffer.from(JSON.stringify(decision)).toString('base64url');
  return `${payload}.${sign(null, Buffer.from(payload), privateKey).toString('base64url')}`;
}

/** Returns the decision that a proof contains, or undefined when the installation's key did not sign it. */
export function readProof(publicKey: KeyObject, proof: DecisionProof | undefined): SignedDecision | undefined {
  const [payload, signature, ...rest] = proof?.split('.') ?? [];
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  // Another spelling of the same signature would pass as a proof that was not used yet.
  if (bytes.toString('base64url') !== signature) return undefined;
  if (!verify(null, Buffer.from(payload), publicKey, bytes)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as SignedDecision;
}

/** Returns why a decision that arrived now is not the one that the API signed. */
export function decisionViolation(
  signed: SignedDecision | undefined,
  expected: Omit<SignedDecision, 'at'>,
  now: Date,
): string | undefined {
  if (!signed) return 'it has no valid signature';
  const { at, ...facts } = signed;
  if (canonicalJson(facts) !== canonicalJson(expected)) return 'its signature belongs to another decision';
  const ageMs = now.getTime() - Date.parse(at);
  if (!(ageMs <= ageMaxMs && ageMs >= -clockSkewMaxMs)) return `it was signed at ${at}, which is too long ago`;
  return undefined;
}

/** Sorts the keys of objects, because two processes may build the same decision in another order. */
const canonicalJson = (value: object): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
