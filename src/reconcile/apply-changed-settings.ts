import { isDeepStrictEqual } from 'node:util';
import { applySettingsSignal } from '../../workflows/environments/messages.ts';
import type { Product } from '../rules/products/kinds.ts';
import { readZoneRequests } from '../rules/products/zone-requests.ts';
import { readDomainSettings, readZoneAddress } from '../store/installation.ts';
import { getDesiredSettings } from '../store/zone-settings.ts';
import type { ReconcileDeps } from './deps.ts';
import { signalZone } from './zone-workflow.ts';

export type SettingsDeps = Pick<ReconcileDeps, 'store' | 'temporal'> & {
  config: Pick<ReconcileDeps['config'], 'zoneAddress' | 'domains'>;
};

/**
 * Signals the workflows of the zones whose settings differ from the values files in the gitops repo. It compares with
 * the applied settings instead of the previous spec, so that saving again repeats a signal that was lost. The first Release
 * of a zone writes its settings; the files of a zone that was added to the Product do not wait for it.
 */
export async function applyChangedSettings(
  deps: SettingsDeps,
  { org, product }: { org: string; product: Product },
): Promise<void> {
  const { metadata, spec, status } = product;
  const addedZones = readZoneRequests(product);
  const zoneAddress = await readZoneAddress(deps.store, deps.config.zoneAddress);
  const domains = await readDomainSettings(deps.store, deps.config.domains);
  for (const zone of spec.delivery.zones) {
    const applied = status?.zones?.find(({ name }) => name === zone.name)?.appliedSettings;
    if (!applied && !addedZones.has(zone.name)) continue;
    const address = zoneAddress(zone.name);
    const desired = await getDesiredSettings(deps.store, { org, zone, address, domains });
    if (isDeepStrictEqual(applied, desired)) continue;
    await signalZone(
      deps,
      { org, product: metadata.name, zone: zone.name },
      { signal: applySettingsSignal, arg: { generation: metadata.generation } },
    );
  }
}
