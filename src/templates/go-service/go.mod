module go-service

go 1.22
