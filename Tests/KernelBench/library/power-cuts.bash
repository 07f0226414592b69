cut_power() { :; }
