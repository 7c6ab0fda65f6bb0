/** The guides in the order of reading. Their texts are the files next to this one, which the repository shows too. */
export const guides = [
  { name: 'first-change', title: 'Your first Change', about: 'From an issue to production.' },
  { name: 'environments', title: 'Environments', about: 'How Releases reach zones, and how zones are set up.' },
  {
    name: 'objectives',
    title: 'Objectives and incidents',
    about: 'Promise what users get, and hear when it fails.',
  },
  { name: 'domains', title: 'Domains', about: 'Claim a domain and give a zone its address.' },
  { name: 'roles', title: 'Roles and tokens', about: 'Who may do what, for people and for scripts.' },
  { name: 'agentworkflows', title: 'Write an AgentWorkflow', about: 'What starts agents, and what they do.' },
] as const;
export type GuideName = (typeof guides)[number]['name'];
