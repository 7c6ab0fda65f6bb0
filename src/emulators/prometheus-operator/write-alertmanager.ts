import { SecretKind } from '../../kinds/kubernetes.ts';
import { type AlertmanagerConfig, AlertmanagerConfigKind } from '../../kinds/prometheus-operator.ts';
import type { Store } from '../../store/store.ts';
import {
  type AlertmanagerPart,
  buildAlertmanagerFile,
  type FindSecret,
  toAlertmanagerPart,
} from './alertmanager-config.ts';
import { type CheckFile, type ConfigFolder, toFileName } from './config-folder.ts';

type AlertmanagerOptions = {
  store: Store;
  folder: ConfigFolder;
  /** Each object alone is a file here, so that its error is found before it reaches the common file. */
  parts: ConfigFolder;
  check: CheckFile;
  log: (line: string) => void;
};

/** Writes alertmanager.yml from all valid AlertmanagerConfigs. */
export async function writeAlertmanager(options: AlertmanagerOptions): Promise<void> {
  const { items } = await options.store.list(AlertmanagerConfigKind);
  const { items: secrets } = items.length === 0 ? { items: [] } : await options.store.list(SecretKind);
  const findSecret: FindSecret = ({ namespace, name }) =>
    secrets.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const valid: AlertmanagerPart[] = [];
  for (const object of items) {
    const part = await findValidPart(object, findSecret, options);
    if (part) valid.push(part);
  }
  await options.parts.keepOnly(items.map(({ metadata }) => toFileName(metadata)));
  await options.folder.write('alertmanager.yml', buildAlertmanagerFile(valid));
}

async function findValidPart(
  object: AlertmanagerConfig,
  findSecret: FindSecret,
  { parts, check, log }: AlertmanagerOptions,
): Promise<AlertmanagerPart | undefined> {
  const name = toFileName(object.metadata);
  const onReject = (reason: string): void =>
    log(`AlertmanagerConfig ${object.metadata.namespace}/${object.metadata.name} is invalid: ${reason}`);
  try {
    const part = toAlertmanagerPart(object, findSecret);
    await parts.write(name, buildAlertmanagerFile([part]), { check, onReject });
    return (await parts.has(name)) ? part : undefined;
  } catch (error) {
    const reason = (error as Error).message;
    await parts.write(name, { reason }, { check: async () => reason, onReject });
    return undefined;
  }
}
