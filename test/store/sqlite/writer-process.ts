import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { buildProbe, ProbeKind } from '../../contracts/store/probe.ts';

/** A separate process that writes to the store, and prints a line for each accepted write. */
const [file = '', work, name = '', prefix = ''] = process.argv.slice(2);
const store = openSqliteStore({ file });
const ref = { namespace: 'org-acme', name };

if (work === 'create') {
  await store.create(ProbeKind, buildProbe('org-acme', name));
  process.stdout.write(`${name}\n`);
}
if (work === 'increment') {
  for (let times = 0; times < 200; times += 1) {
    await store.updateStatus(ProbeKind, ref, ({ status }) => ({ count: (status?.count ?? 0) + 1 }));
  }
}
if (work === 'create-forever') {
  for (let number = 0; ; number += 1) {
    await store.create(
      ProbeKind,
      buildProbe('org-acme', `p-${prefix}-${number}`, { owners: [await store.get(ProbeKind, ref)] }),
    );
    process.stdout.write(`p-${prefix}-${number}\n`);
  }
}
await store.close();
