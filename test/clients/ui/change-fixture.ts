import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import * as evidence from '../../../src/rules/changes/evidence.ts';
import { AgentWorkflowRunKind, type RunStatus, type StepStatus } from '../../../src/rules/changes/kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { pushBranch, startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';

const namespace = 'org-acme';

type Shop = Awaited<ReturnType<typeof startShopFixture>>;

/** Connects the org "acme" to an emulated code host, whose repo "acme/shop" has these files. */
export async function connectCodehost(store: Store, shop: Shop): Promise<void> {
  const data = { 'app-id': String(shop.app.id), 'private-key': shop.app.pem };
  await store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  });
}

/** Opens a pull request of the Change with these files, which its page then shows as its diff. */
export async function openPullRequest(
  store: Store,
  { codehost }: Shop,
  run: string,
  files: Record<string, string>,
): Promise<string> {
  const branch = `service/${run}`;
  const headSha = await pushBranch(codehost, { token: codehost.userToken, branch, files });
  const response = await fetch(`${codehost.apiUrl}/repos/acme/shop/pulls`, {
    method: 'POST',
    headers: { authorization: `token ${codehost.userToken}` },
    body: JSON.stringify({ title: run, head: branch, base: 'main' }),
  });
  const { number } = (await response.json()) as { number: number };
  const url = `http://localhost:3000/acme/shop/pulls/${number}`;
  await patchRun(store, run, (status) => ({ ...status, pullRequest: { number, url, headSha } }));
  return headSha;
}

export async function patchRun(store: Store, name: string, patch: (status: RunStatus) => RunStatus): Promise<void> {
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, ({ status }) => {
    if (!status) throw new Error(`The run ${name} has no status.`);
    return patch(status);
  });
}

export const patchStep = async (store: Store, run: string, step: string, patch: Partial<StepStatus>): Promise<void> =>
  await patchRun(store, run, (status) => ({
    ...status,
    steps: status.steps.map((one) => (one.name === step ? { ...one, ...patch } : one)),
  }));

export type EvidenceFile = { id: string; name: string; type: string; content: string | Buffer };

/** Stores files of evidence of a step, as an agent leaves them. */
export async function keepEvidence(store: Store, run: string, step: string, files: EvidenceFile[]): Promise<void> {
  const owner = await store.get(AgentWorkflowRunKind, { namespace, name: run });
  for (const { id, name, type, content } of files)
    await store.create(ConfigMapKind, {
      metadata: {
        namespace,
        name: id,
        labels: { [evidence.artifactRunLabel]: owner.metadata.uid },
        annotations: { [evidence.artifactNameAnnotation]: name, [evidence.artifactTypeAnnotation]: type },
        ownerReferences: [ownerReference(owner)],
      },
      binaryData: { [evidence.artifactDataKey]: Buffer.from(content).toString('base64') },
    });
  await patchStep(store, run, step, {
    evidence: files.map(({ id, name, type, content }) => ({
      artifact: evidence.toArtifactPointer(id),
      name,
      type,
      sizeBytes: Buffer.byteLength(content),
    })),
  });
}

export const fare = {
  before: 'export async function pay(booking) {\n  const fare = await quote(booking);\n  return fare;\n}\n',
  after:
    'export async function pay(booking) {\n  const fare = await heldFare(booking);\n  if (!fare) throw new Expired();\n  return fare;\n}\n',
};
const script = '<script>alert(1)</script><img src=x onerror=alert(2)>';

/** Evidence of every kind, with the scripts that an agent could be made to write. */
export const evidenceFiles: EvidenceFile[] = [
  {
    id: 'image',
    name: 'hold.svg',
    type: 'image/svg+xml',
    content: `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" onload="alert(3)"><script>alert(4)</script><rect width="40" height="30"/></svg>`,
  },
  {
    id: 'text',
    name: 'vitest.txt',
    type: 'text/plain',
    content: `\u001b[32m✓\u001b[0m one test\n✓ another test\n${script}\n`,
  },
  {
    id: 'json',
    name: 'timings.json',
    type: 'application/json',
    content: JSON.stringify({ hold: [12, 40], note: script }),
  },
  {
    id: 'report',
    name: 'junit.xml',
    type: 'text/plain',
    content: `<?xml version="1.0"?><testsuites><testsuite name="holds"><testcase classname="holds" name="expire" time="1.2"/><testcase classname="holds" name="two tabs" time="0.3"><failure message="expected 1 to be 2 &lt;script&gt;">stack</failure></testcase></testsuite></testsuites>`,
  },
  { id: 'page', name: 'report.zip', type: 'application/zip', content: 'PK' },
];

/** Gives the Change of issue 418 a diff and evidence, in an org with that code host. */
export async function seedChangePages(store: Store, shop: Shop): Promise<void> {
  await pushBranch(shop.codehost, {
    token: shop.codehost.userToken,
    branch: 'main',
    files: { 'src/pay.ts': fare.before },
  });
  await openPullRequest(store, shop, 'change-shop-418', {
    'README.md': `${script}\n`,
    'package-lock.json': '{}\n',
    'src/pay.ts': fare.after,
  });
  await keepEvidence(store, 'change-shop-418', 'review-tests', evidenceFiles);
  await patchStep(store, 'change-shop-418', 'review-tests', {
    skippedEvidence: [{ name: 'trace.zip', reason: 'The file has 4.1 MB, and the limit is 700 KB.' }],
  });
}
