/** The groups of operations, in alphabetical order. */
export const tags: Record<string, string> = {
  Access: 'Users, API tokens, sessions and the access groups that give people roles in an org.',
  Agents: 'The roles, workflows, models, limits and costs of an org’s agents.',
  Audit: 'Who changed what, from where and when.',
  Backups: 'Encrypted archives of the whole installation, and restores of them into an empty or a running one.',
  Changes: 'Runs of AgentWorkflows, which turn an issue into a merged Change, and what people decide about them.',
  'Cloud accounts': 'Accounts at clouds that trust the identity of the installation, and that identity.',
  Clusters: 'Workload clusters, which zones can run in besides the cluster of the installation.',
  Codehost: 'The connection of an org to its account at the code host.',
  Domains: 'Domains that an org owns or claims, and the addresses under them.',
  Incidents:
    'What is or was wrong with a Product: opened by an alert or a person, with a timeline until its resolution.',
  Installation: 'Set up the installation, and read its state.',
  Issues: 'Issues of a Product’s repos, in the columns of the board.',
  Me: 'What concerns the current user in all orgs.',
  Observability:
    'How reliably a Product runs and how well it is delivered: SLOs with their error budgets, DORA metrics and activity.',
  Orgs: 'Tenants. An org has its own Products, people, agents and code host account.',
  Products: 'What an org ships: repos, zones, versions and a logo.',
  Registries: 'Container registries of an org, with the credentials that its builds and zones use.',
  Releases: 'Versions of a Product and their promotion from zone to zone.',
  Scheduling: 'Whether and in which time zone AgentWorkflows start on a schedule.',
  Webhooks: 'Events that the code host and Alertmanager send to the service.',
  Zones: 'The environments that a Product is delivered to, with their pods, logs and metrics.',
};
