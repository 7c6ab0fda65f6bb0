import { useQuery } from '@tanstack/react-query';
import { signInMethodsQuery } from '../../../api/queries/sign-in.ts';
import { Button } from '../../../parts/button.tsx';
import { FieldList } from '../../../parts/field-list.tsx';
import { ChoiceField, LinesField, TextField } from '../../../parts/form-fields.tsx';
import { listGroupNames, listProviders, toPointers, withProviderGroups } from './provider-groups.ts';
import { orgRoles, roleMeanings, type Group, type OrgRole } from './roles.ts';

/** One group. A group that was saved keeps its name, because another name would be another group. */
export const GroupFields = ({
  group,
  index,
  onChange,
  onRemove,
  onClose,
}: {
  group: Group;
  index: number;
  onChange: (group: Group) => void;
  onRemove: () => void;
  onClose: () => void;
}) => (
  <fieldset>
    <legend>{group.name === '' ? 'New group' : `Group ${group.name}`}</legend>
    <TextField
      label="Name"
      hint="Lowercase letters, digits and hyphens."
      pointer={`/accessGroups/${index}/name`}
      value={group.name}
      required
      autoFocus
      spellCheck={false}
      onChange={(name) => onChange({ ...group, name })}
    />
    <ChoiceField
      label="Role"
      hint={roleMeanings[group.role]}
      pointer={`/accessGroups/${index}/role`}
      value={group.role}
      options={orgRoles.map((role) => [role, role] as const)}
      onChange={(role) => onChange({ ...group, role: role as OrgRole })}
    />
    <LinesField
      label="Members"
      hint="E-mail addresses that they sign in with, one in each line."
      pointer={`/accessGroups/${index}/members`}
      rows={Math.min(12, Math.max(4, group.members.length + 1))}
      value={group.members}
      onChange={(members) => onChange({ ...group, members: members ?? [] })}
    />
    <ProviderFields group={group} index={index} onChange={onChange} />
    <div className="row">
      <Button small onClick={onClose}>
        Close
      </Button>
      <Button small look="danger" onClick={onRemove}>
        Remove the group
      </Button>
    </div>
  </fieldset>
);

/** The groups of each identity provider whose people are in the group too; nothing without an identity provider. */
function ProviderFields({ group, index, onChange }: { group: Group; index: number; onChange: (group: Group) => void }) {
  const { data } = useQuery(signInMethodsQuery);
  const providers = listProviders(data?.identityProviders ?? [], group);
  if (providers.length === 0) return null;
  return (
    <FieldList legend="Groups at identity providers" pointer={`/accessGroups/${index}/providerGroups`}>
      {providers.map(({ name, label }) => (
        <LinesField
          key={name}
          label={`Groups of ${label}`}
          hint="Names exactly as the provider sends them, one in each line. Their people are members too."
          pointer={toPointers(group, { index, provider: name })}
          value={listGroupNames(group, name)}
          onChange={(lines) => onChange(withProviderGroups(group, name, lines ?? []))}
        />
      ))}
    </FieldList>
  );
}
