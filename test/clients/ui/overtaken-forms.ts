import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { InstallationKind, installationRef } from '../../../src/rules/installation/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { SettingsForm } from './settings-forms.ts';

/** A form whose resource another person changes while it is edited. */
type Overtaken = {
  form: string;
  kind: unknown;
  /** Namespace of the resource, when it is not that of the org. */
  namespace?: string;
  name: string;
  /** Replaces the edit of the form. */
  edit?: SettingsForm['edit'];
  /** Changes the spec, as another person does meanwhile. */
  overtake: (spec: never) => object;
  /** The texts that the page shows of both versions. */
  shown: string[];
  /** The spec in the end. */
  saved: object;
};

const team = { name: 'team', role: 'org-admin' };
export const overtakenForms: Overtaken[] = [
  {
    form: 'Settings of the installation',
    kind: InstallationKind,
    ...installationRef,
    edit: async ({ fill }) => await fill('Roots of managed domains', 'managed.test\nsites.harbor.example'),
    overtake: () => ({ signIn: { password: 'platform-admins' } }),
    shown: ['password: platform-admins', 'password: everyone', '- sites.harbor.example'],
    saved: { managedDomainRoots: ['managed.test', 'sites.harbor.example'], signIn: { password: 'everyone' } },
  },
  {
    form: 'Scheduling',
    kind: OrganizationKind,
    namespace: systemNamespace,
    name: 'acme',
    overtake: () => ({ scheduling: { enabled: false, timeZone: 'Europe/Oslo' } }),
    shown: ['timeZone: Europe/Oslo', 'enabled: true'],
    saved: { scheduling: { enabled: true } },
  },
  {
    form: 'Limits of agents',
    kind: OrganizationKind,
    namespace: systemNamespace,
    name: 'acme',
    overtake: () => ({ agents: { runsPerTargetPerHour: 7 } }),
    shown: ['runsPerTargetPerHour: 7', 'costUsdPerDay: 5'],
    saved: { agents: { costUsdPerDay: 5 } },
  },
  {
    form: 'Approvals',
    kind: OrganizationKind,
    namespace: systemNamespace,
    name: 'acme',
    overtake: () => ({ approvals: { preventSelfApproval: true } }),
    shown: ['preventSelfApproval: true', 'login: priya'],
    saved: { approvals: { codehostLogins: [{ email: 'priya@example.com', login: 'priya' }] } },
  },
  {
    form: 'Access groups',
    kind: AccessGroupKind,
    name: 'team',
    overtake: () => ({ members: ['priya@example.com', 'hanne@example.com'] }),
    shown: ['hanne@example.com', 'lars@example.com'],
    saved: { ...team, members: ['priya@example.com', 'lars@example.com'] },
  },
  {
    form: 'AgentRole',
    kind: AgentRoleKind,
    name: 'architect',
    overtake: () => ({ responsibilities: ['Plan ahead.'] }),
    shown: ['Plan ahead.', 'model: small'],
    saved: { model: 'small' },
  },
  {
    form: 'AgentWorkflow with a schedule',
    kind: AgentWorkflowKind,
    name: 'nightly',
    overtake: () => ({ enabled: false }),
    shown: ['enabled: false', 'Looks for news.'],
    saved: { description: 'Looks for news.' },
  },
  {
    form: 'Zone',
    kind: ProductKind,
    name: 'shop',
    overtake: ({ delivery: { zones } }: { delivery: { zones: object[] } }) => ({
      delivery: { zones: zones.with(1, { ...zones[1], memory: '1Gi' }) },
    }),
    shown: ['512Mi', '1Gi'],
    saved: { delivery: { zones: [{ name: 'shop-rc' }, { replicas: 4, memory: '1Gi' }] } },
  },
  {
    form: 'Product',
    kind: ProductKind,
    name: 'shop',
    overtake: () => ({ description: 'Sells it all.' }),
    shown: ['Sells it all.', 'Ferries'],
    saved: { displayName: 'Ferries', description: 'Sells it all.' },
  },
];
