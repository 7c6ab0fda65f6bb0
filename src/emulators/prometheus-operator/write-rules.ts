import { PrometheusRuleKind } from '../../kinds/prometheus-operator.ts';
import type { Store } from '../../store/store.ts';
import { type CheckFile, type ConfigFolder, toFileName } from './config-folder.ts';

type RuleOptions = { store: Store; folder: ConfigFolder; check: CheckFile; log: (line: string) => void };

/** Writes one file per PrometheusRule. */
export async function writeRules({ store, folder, check, log }: RuleOptions): Promise<void> {
  const { items } = await store.list(PrometheusRuleKind);
  for (const { metadata, spec } of items) {
    const onReject = (reason: string): void =>
      log(`PrometheusRule ${metadata.namespace}/${metadata.name} is invalid: ${reason}`);
    await folder.write(toFileName(metadata), { groups: spec.groups ?? [] }, { check, onReject });
  }
  await folder.keepOnly(items.map(({ metadata }) => toFileName(metadata)));
}
