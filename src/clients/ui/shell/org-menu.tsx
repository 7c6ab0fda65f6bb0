import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import type { Me } from '../api/types.ts';
import { OrgButton } from './org-button.tsx';
import styles from './menu.module.css';

/** Switches the org of all pages. */
export function OrgMenu({ org, orgs }: { org: string | undefined; orgs: Me['orgs'] }) {
  const navigate = useNavigate();
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger render={<OrgButton org={org} aria-label={`Org: ${org ?? 'none'}`} />} />
      <Menu.Portal>
        <Menu.Positioner className={styles['positioner']} align="start" sideOffset={2}>
          <Menu.Popup className={styles['popup']}>
            <Menu.RadioGroup
              value={org}
              onValueChange={(next: string) => void navigate({ to: '/$org', params: { org: next } })}
            >
              {orgs.map((each) => (
                <Menu.RadioItem key={each.org} value={each.org} closeOnClick className={styles['item']}>
                  <span className="clip">{each.org}</span>
                  <span className="faint small push">{each.role}</span>
                </Menu.RadioItem>
              ))}
              {orgs.length === 0 && <p className={styles['note']}>You have no role in an org yet.</p>}
            </Menu.RadioGroup>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
