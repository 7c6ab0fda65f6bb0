import type { Kind, StoredObject } from './resource.ts';

/** `data` values are base64, as in Kubernetes; one that was made with nothing in it has none. */
export type Secret = StoredObject & { type?: string; data?: Record<string, string> };
/** Texts as a secret holds them. */
export const secretData = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));

/** What a secret holds under a key, as text. */
export function secretText(secret: Pick<Secret, 'data'> | undefined, key: string): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString();
}

export const SecretKind: Kind<Secret> = { apiVersion: 'v1', kind: 'Secret', plural: 'secrets' };

/** Not in a namespace itself: its reference has an empty one. */
export type Namespace = StoredObject & {
  status?: { phase?: 'Active' | 'Terminating'; conditions?: NamespaceCondition[] };
};
type NamespaceCondition = { type: string; status: string; message?: string };
export const NamespaceKind: Kind<Namespace> = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces' };

/** `data` is text; `binaryData` values are base64. */
export type ConfigMap = StoredObject & { data?: Record<string, string>; binaryData?: Record<string, string> };
export const ConfigMapKind: Kind<ConfigMap> = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
