import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { ignoreNotFound } from '../../src/errors.ts';
import { SecretKind, type Secret, readSecretText, toSecretData } from '../../src/kinds/kubernetes.ts';
import { mayAdminister } from '../../src/rules/access/roles.ts';
import { judgeLicense, licenseStates } from '../../src/rules/licensing/judge-license.ts';
import { readLicense } from '../../src/rules/licensing/read-license.ts';
import { Timestamp } from '../../src/rules/names.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { passwordSessionViolation } from '../auth/assert-credential.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { ActionView } from '../http/views.ts';

const ref = { namespace: systemNamespace, name: 'service-license' };
const key = 'license';

export const LicenseView = z
  .object({
    state: z
      .enum(licenseStates)
      .describe('State of the license: `evaluation` if none is installed. No state stops or locks anything.'),
    message: z.string().describe('State of the license in words.'),
    id: z.string().optional().describe('Id of the license, for support.'),
    customer: z.string().optional().describe('Customer that the license is for.'),
    plan: z.string().optional().describe('Plan of the customer, such as `team`.'),
    issuedAt: Timestamp.optional().describe('Time at which the license was issued.'),
    expiresAt: Timestamp.optional().describe('Time at which the license expires; absent if it never expires.'),
    orgsMax: z.int().optional().describe('Number of orgs that the license is for, which is not enforced.'),
    clustersMax: z
      .int()
      .optional()
      .describe('Number of workload clusters that the license is for, which is not enforced.'),
    actions: z.array(ActionView).describe('Operations on the license, with whether the caller can perform them now.'),
  })
  .openapi('License');

const findLicense = async (store: Store): Promise<Secret | undefined> => await store.find(SecretKind, ref);

/** Reads the entry for each request, because an operator may write it by hand. */
export async function getLicenseView(
  c: Context<ApiEnv>,
  { store, config, now }: Pick<ApiDeps, 'store' | 'config' | 'now'>,
) {
  const text = readSecretText(await findLicense(store), key);
  const reading = text === undefined ? undefined : readLicense(text, config.licenseKeys);
  const message = licenseChangeViolation(c);
  const actions = ['putLicense', 'deleteLicense'].map((name) => ({
    name,
    allowed: message === undefined,
    ...(message !== undefined && { reason: 'role-insufficient' as const, message }),
  }));
  return { ...judgeLicense(reading, now()), actions };
}

const licenseChangeViolation = (c: Context<ApiEnv>): string | undefined =>
  mayAdminister(c.get('caller'))
    ? passwordSessionViolation(c.get('credential'))
    : 'Only a platform admin may change the license.';

export async function saveLicense(store: Store, license: string): Promise<void> {
  const data = toSecretData({ [key]: license.trim() });
  const existing = await findLicense(store);
  if (existing) await store.replace(SecretKind, { ...existing, data });
  else await store.create(SecretKind, { metadata: ref, type: 'Opaque', data });
}

export const deleteStoredLicense = async (store: Store): Promise<void> =>
  await store.delete(SecretKind, ref).catch(ignoreNotFound);
