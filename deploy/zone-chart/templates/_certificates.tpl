{{/* One certificate per address: one that cannot be had leaves the others as they are. */}}
{{- define "zone.certificates" -}}
{{- if .Values.certificates.clusterIssuer -}}
tls:
  {{- range .Values.ingress.hosts }}
  - hosts: [{{ . | quote }}]
    secretName: {{ . }}-tls
  {{- end }}
{{- end }}
{{- end }}
