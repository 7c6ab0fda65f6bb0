import { randomBytes } from 'node:crypto';
import { ignoreAlreadyExists } from '../../errors.ts';
import { SecretKind, toSecretData } from '../../kinds/kubernetes.ts';
import { alertWebhookSecret } from '../../rules/incidents/alert-webhook-secret.ts';
import { systemNamespace } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';

/** Creates the token of Alertmanager's calls at the first start. Replacing the Secret replaces the token. */
export async function ensureAlertToken(store: Store): Promise<void> {
  const metadata = { namespace: systemNamespace, name: alertWebhookSecret.name };
  if (await store.find(SecretKind, metadata)) return;
  const data = toSecretData({ [alertWebhookSecret.key]: randomBytes(32).toString('base64url') });
  await store.create(SecretKind, { metadata, data }).catch(ignoreAlreadyExists);
}
