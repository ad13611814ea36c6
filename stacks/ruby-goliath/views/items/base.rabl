attributes :id, :uuid, :name, :hash_code, :created_at
