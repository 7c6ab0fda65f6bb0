import { isDeepStrictEqual } from 'node:util';
import type { Product } from '../../src/rules/catalog/kinds.ts';
import { zoneSettings } from '../../src/rules/environments/zone-values.ts';
import { applySettings } from '../../workflows/environments/messages.ts';
import type { ApiDeps } from '../deps.ts';
import { tellKeeper } from './speak-to-keeper.ts';

/**
 * Has the keepers bring the settings of a Product's zones where they differ from what stands in the values files, so
 * that saving once more mends what a lost message left undone.
 */
export async function applyChangedSettings(
  deps: Pick<ApiDeps, 'temporal' | 'config'>,
  { org, product }: { org: string; product: Product },
): Promise<void> {
  const { metadata, spec, status } = product;
  for (const zone of spec.delivery.zones) {
    const applied = status?.zones?.find(({ name }) => name === zone.name)?.applied;
    if (!applied || isDeepStrictEqual(applied, zoneSettings(zone, deps.config.zoneAddress(zone.name)))) continue;
    const told = { generation: metadata.generation };
    await tellKeeper(deps, { org, product: metadata.name, zone: zone.name }, { signal: applySettings, told });
  }
}
