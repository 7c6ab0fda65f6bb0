import { Button } from '../../../parts/button.tsx';
import { Person } from '../../../parts/person.tsx';
import table from '../../../parts/table.module.css';
import styles from './access.module.css';
import type { Group } from './roles.ts';

const shownMax = 8;

export const GroupTable = ({
  groups,
  base,
  edited,
  onEdit,
}: {
  groups: Group[];
  /** The groups as they are saved, to tell what has changed. */
  base: Group[];
  edited: number | undefined;
  /** Absent for a caller who may only read the groups. */
  onEdit: ((index: number) => void) | undefined;
}) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Group</th>
        <th scope="col">Role</th>
        <th scope="col">Members</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {groups.map((group, index) => {
        const members = group.members.filter((member) => member.trim() !== '');
        const providerGroups = (group.providerGroups ?? []).filter((one) => one.group.trim() !== '');
        const isChanged = !base.some((one) => JSON.stringify(one) === JSON.stringify(group));
        return (
          <tr key={index} className={edited === index ? table['sel'] : undefined}>
            <th scope="row" className={table['title']}>
              {group.name === '' ? 'New group' : group.name}
              {isChanged && <span className={styles['unsaved']}> not saved</span>}
            </th>
            <td data-l="Role">{group.role}</td>
            <td data-l="Members">
              <span className={styles['people']}>
                {members.slice(0, shownMax).map((member) => (
                  <Person key={member} email={member} />
                ))}
              </span>
              {members.length > shownMax && <span className="dim small">and {members.length - shownMax} more</span>}
              {providerGroups.length > 0 && (
                <span className={`${styles['people']} small`}>
                  {providerGroups.map(({ provider, group: name }) => (
                    <span key={`${provider} ${name}`}>
                      {name} <span className="dim">of {provider}</span>
                    </span>
                  ))}
                </span>
              )}
              {members.length + providerGroups.length === 0 && <span className="dim">No members</span>}
            </td>
            <td className="right">
              {onEdit && (
                <Button small aria-label={`Edit ${group.name || 'the new group'}`} onClick={() => onEdit(index)}>
                  Edit
                </Button>
              )}
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);
