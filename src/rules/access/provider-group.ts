import { z } from 'zod';
import { NameLabel } from '../names.ts';

/** A group of people at an identity provider. */
export const ProviderGroup = z.strictObject({
  provider: NameLabel.describe('Name of the identity provider.'),
  group: z.string().min(1).max(256).describe('Name of the group, exactly as the provider sends it.'),
});
export type ProviderGroup = z.infer<typeof ProviderGroup>;

/** Neither addresses nor provider names contain a space, so the key of a group equals no other key. */
export const toGroupKey = ({ provider, group }: ProviderGroup): string => `${provider} ${group}`;
