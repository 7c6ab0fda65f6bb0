import type { Schemas } from '../../api/generated/openapi.ts';
import { accesses, defaultAccess, policies } from '../../parts/zone-terms.ts';

export type ZoneSpec = NonNullable<Schemas['Zone']['spec']>;
type Volume = NonNullable<ZoneSpec['volumes']>[number];
export type Address = NonNullable<ZoneSpec['addresses']>[number];

/** The settings of a zone as a person types them: an empty text is the default. */
export type ZoneDraft = {
  access: NonNullable<ZoneSpec['access']>;
  promotionPolicy: NonNullable<ZoneSpec['promotionPolicy']>;
  addresses: Address[];
  replicas: string;
  cpu: string;
  memory: string;
  volumes: Volume[];
  verifyUrl: string;
  verifyTimeout: string;
};
export type Setting = keyof ZoneDraft;

export const settingNames: Record<Setting, string> = {
  access: 'Who can open it',
  promotionPolicy: 'Releases arrive',
  addresses: 'Addresses',
  replicas: 'Replicas',
  cpu: 'CPU per pod',
  memory: 'Memory per pod',
  volumes: 'Storage',
  verifyUrl: 'Smoke check URL',
  verifyTimeout: 'Smoke check timeout',
};
const settings = Object.keys(settingNames) as Setting[];

/** The path of each setting in the spec of a zone, to which the errors of the API point. */
export const settingPaths: Record<Setting, string> = {
  access: 'access',
  promotionPolicy: 'promotionPolicy',
  addresses: 'addresses',
  replicas: 'replicas',
  cpu: 'cpu',
  memory: 'memory',
  volumes: 'volumes',
  verifyUrl: 'verify/url',
  verifyTimeout: 'verify/timeoutSeconds',
};

const toText = (value: number | string | undefined): string => (value === undefined ? '' : String(value));

export const toDraft = (spec: ZoneSpec): ZoneDraft => ({
  access: spec.access ?? defaultAccess,
  promotionPolicy: spec.promotionPolicy ?? 'automatic',
  addresses: spec.addresses ?? [],
  replicas: toText(spec.replicas),
  cpu: toText(spec.cpu),
  memory: toText(spec.memory),
  volumes: spec.volumes ?? [],
  verifyUrl: toText(spec.verify?.url),
  verifyTimeout: toText(spec.verify?.timeoutSeconds),
});

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const listChanged = (before: ZoneDraft, after: ZoneDraft): Setting[] =>
  settings.filter((setting) => !isSame(before[setting], after[setting]));

/** The settings of `mine` that differ from `base`, over those of another person. */
export const mergeDrafts = (base: ZoneDraft, theirs: ZoneDraft, mine: ZoneDraft): ZoneDraft => ({
  ...theirs,
  ...Object.fromEntries(listChanged(base, mine).map((setting) => [setting, mine[setting]])),
});

/** Returns the spec with the settings that the draft changes. The others stay as they are, also where they are absent. */
export function applyDraft(spec: ZoneSpec, draft: ZoneDraft): ZoneSpec {
  const changed = listChanged(toDraft(spec), draft);
  const has = (setting: Setting): boolean => changed.includes(setting);
  const verify = {
    url: draft.verifyUrl.trim() || undefined,
    timeoutSeconds: draft.verifyTimeout === '' ? undefined : Number(draft.verifyTimeout),
  };
  const isVerifyChanged = has('verifyUrl') || has('verifyTimeout');
  const next = {
    ...spec,
    ...(has('access') && { access: draft.access }),
    ...(has('promotionPolicy') && { promotionPolicy: draft.promotionPolicy }),
    ...(has('addresses') && { addresses: draft.addresses }),
    ...(has('replicas') && { replicas: draft.replicas === '' ? undefined : Number(draft.replicas) }),
    ...(has('cpu') && { cpu: draft.cpu.trim() || undefined }),
    ...(has('memory') && { memory: draft.memory.trim() || undefined }),
    ...(has('volumes') && { volumes: draft.volumes }),
    ...(isVerifyChanged && { verify: verify.url || verify.timeoutSeconds ? verify : undefined }),
  };
  // A request has no field that is undefined.
  return JSON.parse(JSON.stringify(next)) as ZoneSpec;
}

export const toHost = ({ name, domain }: Address): string => (name === '' ? domain : `${name}.${domain}`);

/** A setting in words, to show what it was and what another person has made of it. */
export function formatSetting(draft: ZoneDraft, setting: Setting): string {
  if (setting === 'access') return accesses[draft.access];
  if (setting === 'promotionPolicy') return policies[draft.promotionPolicy];
  if (setting === 'addresses') return draft.addresses.map(toHost).join(', ') || 'none';
  if (setting === 'volumes')
    return draft.volumes.map(({ name, size, path }) => `${name} (${size}) at ${path}`).join(', ') || 'none';
  return draft[setting] || 'the default';
}
