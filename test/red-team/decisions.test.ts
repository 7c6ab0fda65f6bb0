import { generateKeyPairSync } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { createDecisionSigner } from '../../src/main/wiring/decision-keys.ts';
import { type DecisionProof, type SignedDecision, signDecision } from '../../src/rules/access/decisions.ts';
import { approveStepUpdate, cancelRunUpdate, rejectStepUpdate } from '../../workflows/changes/messages.ts';
import {
  approvePromotionUpdate,
  freezeZoneUpdate,
  manageZoneId,
  unfreezeZoneUpdate,
} from '../../workflows/environments/messages.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { findWorkflowId, readOwnTls } from './temporal-access.ts';
import type { World } from './world.ts';

type Forgery = {
  action: SignedDecision['action'];
  scope: SignedDecision['scope'];
  decision: { by: string };
  /** Sends the decision to Temporal with the credentials of the service. */
  send: (client: Client, proof: DecisionProof | undefined) => Promise<unknown>;
};

/** Sends a decision in the name of root. Returns true when it was accepted. */
async function decides(world: World, forgery: Forgery, proof: DecisionProof | undefined): Promise<boolean> {
  const opened = await Connection.connect({ address: `127.0.0.1:${world.port + 4}`, tls: await readOwnTls(world) });
  try {
    await forgery.send(new Client({ connection: opened }), proof);
    return true;
  } catch {
    return false;
  } finally {
    await opened.close();
  }
}

const signWithInstallation = async (world: World, { action, scope, decision }: Forgery): Promise<DecisionProof> =>
  await world.withStore(async (store) =>
    (await createDecisionSigner(store, () => new Date()))({ action, scope, decision }),
  );

type BuildProof = (world: World, forgery: Forgery) => DecisionProof | undefined | Promise<DecisionProof | undefined>;

/** A decision in the name of root. The counter-attack signs it with the key of the installation. */
const forged = (
  name: string,
  build: (world: World) => Promise<Forgery>,
  proof: BuildProof = () => undefined,
): Attack => ({
  name: `a Temporal client ${name}`,
  attempt: async (world) => {
    const forgery = await build(world);
    return await decides(world, forgery, await proof(world, forgery));
  },
  counter: async (world) => {
    const forgery = await build(world);
    return await decides(world, forgery, await signWithInstallation(world, forgery));
  },
});

const by = 'root@example.com';
const stranger = generateKeyPairSync('ed25519');

const stepForgery =
  (action: 'approveStep' | 'rejectStep' | 'cancelRun') =>
  async (world: World): Promise<Forgery> => {
    const run = await world.startWaitingRun();
    const workflowId = await findWorkflowId(world, run);
    const decision = action === 'cancelRun' ? { run, by } : { run, step: 'decide', by, role: 'org-admin' };
    const update = { approveStep: approveStepUpdate, rejectStep: rejectStepUpdate, cancelRun: cancelRunUpdate }[action];
    const send: Forgery['send'] = async (client, proof) =>
      await client.workflow.getHandle(workflowId).executeUpdate(update.name, {
        args: [decision, ...(proof === undefined ? [] : [proof])],
      });
    return { action, scope: { org: 'acme', run }, decision, send };
  };

const zoneForgery =
  (action: 'freezeZone' | 'unfreezeZone' | 'approvePromotion') =>
  async ({ release }: World): Promise<Forgery> => {
    const scope = { org: 'acme', product: 'shop', zone: 'shop-prod' };
    const decision = {
      freezeZone: { by, reason: 'Closed.', since: new Date().toISOString() },
      unfreezeZone: { by },
      approvePromotion: { release, by, role: 'org-admin' },
    }[action];
    const update = {
      freezeZone: freezeZoneUpdate,
      unfreezeZone: unfreezeZoneUpdate,
      approvePromotion: approvePromotionUpdate,
    }[action];
    const send: Forgery['send'] = async (client, proof) =>
      await client.workflow.getHandle(manageZoneId(scope)).executeUpdate(update.name, {
        args: [decision, ...(proof === undefined ? [] : [proof])],
      });
    return { action, scope, decision, send };
  };

testAttacks('decisions', [
  forged('approves a step', stepForgery('approveStep')),
  forged('rejects a step', stepForgery('rejectStep')),
  forged('cancels a run', stepForgery('cancelRun')),
  forged('freezes a zone', zoneForgery('freezeZone')),
  forged('unfreezes a zone', zoneForgery('unfreezeZone')),
  forged('approves a promotion to production', zoneForgery('approvePromotion')),
  forged('signs an approval with a key of its own', stepForgery('approveStep'), (_, { action, scope, decision }) =>
    signDecision(stranger.privateKey, { action, scope, decision, at: new Date().toISOString() }),
  ),
  forged(
    'uses the proof of a rejection for an approval',
    stepForgery('approveStep'),
    async (world, forgery) => await signWithInstallation(world, { ...forgery, action: 'rejectStep' }),
  ),
  forged(
    'uses the proof of another run',
    stepForgery('approveStep'),
    async (world, forgery) => await signWithInstallation(world, { ...forgery, scope: { org: 'acme', run: world.run } }),
  ),
  forged(
    'uses the proof of another org',
    stepForgery('approveStep'),
    async (world, forgery) =>
      await signWithInstallation(world, { ...forgery, scope: { ...forgery.scope, org: 'evil' } }),
  ),
  forged(
    'uses the proof of another person',
    stepForgery('approveStep'),
    async (world, forgery) =>
      await signWithInstallation(world, { ...forgery, decision: { ...forgery.decision, by: 'mallory@example.com' } }),
  ),
]);
